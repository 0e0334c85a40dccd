"""Who calls is who connects, unless a proxy that was named says otherwise."""

from pathlib import Path

import pytest

from running import running


@pytest.mark.parametrize(("named", "through"), [("", 5), ("10.0.0.7", 5), ("127.0.0.1", 30)])
def test_a_forged_address_passes_no_rate_limit(tmp_path: Path, named: str, through: int):
    with running(tmp_path, ORRERY_RATE_LIMIT="5", ORRERY_TRUSTED_PROXIES=named) as server:
        answers = [
            server.post("/v1/jobs", json={}, headers={"x-forwarded-for": f"203.0.113.{index}"}) for index in range(30)
        ]

    assert sum(answer.status_code != 429 for answer in answers) == through
