from __future__ import annotations

from pathlib import Path

import pytest

from studio.errors import BadInput, CannotListen
from studio.settings import ServerSettings, chosen_data_folder, is_loopback, read_settings


def test_without_a_word_it_is_the_loopback_port_and_the_home_folder(tmp_path):
    settings = read_settings()
    assert (settings.host, settings.port, settings.checkpoint) == ("127.0.0.1", 7860, "pocket")
    assert settings.data == tmp_path / "share" / "orrery"
    assert settings.token is None


@pytest.mark.parametrize("said", ["*", "proxy.lab", "10.0.0.7/24", "10.0.0.7, ::1, x"])
def test_proxies_are_named_by_address(monkeypatch: pytest.MonkeyPatch, said: str):
    monkeypatch.setenv("ORRERY_TRUSTED_PROXIES", said)

    with pytest.raises(BadInput, match="is not an address or network") as refused:
        read_settings()

    assert refused.value.param == "trusted_proxies"
    assert "--trusted-proxies or ORRERY_TRUSTED_PROXIES" in refused.value.hint


def test_every_field_is_a_variable(monkeypatch, tmp_path):
    said = {
        "host": "0.0.0.0",
        "port": "0",
        "data": str(tmp_path / "d"),
        "checkpoint": "cosmos3-nano",
        "token": "secret",
        "allowed_hosts": "studio.lab",
        "trusted_proxies": "10.0.0.7,10.1.0.0/24",
        "device": "cuda:1",
        "gpus": "4",
        "policy_gpus": "2",
        "precision": "fp8",
        "offload": "true",
        "shard_weights": "false",
        "allowed_media_folders": f"{tmp_path}, /clips",
        "allow_remote_media": "true",
        "upsampler_url": "http://127.0.0.1:8000/v1",
        "upsampler_model": "writer",
        "upsampler_key": "hidden",
        "critic_url": "http://127.0.0.1:8001/v1",
        "critic_model": "judge",
        "critic_key": "hidden too",
        "rewriter_url": "http://127.0.0.1:8002/v1",
        "rewriter_model": "author",
        "rewriter_key": "hidden as well",
        "quota_gb": "100",
        "guardrail_url": "http://127.0.0.1:7861",
        "require_guardrail": "true",
        "rate_limit": "60",
        "replicas": "2",
        "ray": "auto",
        "memory_gb": "40",
        "robot": "simulated",
        "datasets": str(tmp_path / "sets"),
        "policy_arms": "2",
    }
    assert set(said) == set(ServerSettings.model_fields)
    for name, value in said.items():
        monkeypatch.setenv(f"ORRERY_{name.upper()}", value)
    settings = read_settings()
    assert settings.port == 0
    assert settings.data == tmp_path / "d"
    assert settings.token is not None
    assert settings.token.get_secret_value() == "secret"
    assert settings.media_folders == (tmp_path.resolve(), Path("/clips"))
    assert settings.allow_remote_media
    assert "secret" not in repr(settings)
    assert "hidden" not in repr(settings)


@pytest.mark.parametrize(
    ("told", "said"), [({}, "on one GPU"), ({"gpus": 2, "offload": True}, "with --offload")], ids=["alone", "offloaded"]
)
def test_weights_are_divided_only_among_several_gpus(told, said):
    with pytest.raises(BadInput, match=said) as refused:
        ServerSettings(shard_weights=True, **told)
    assert refused.value.param == "shard_weights"


def test_an_empty_variable_is_as_good_as_none(monkeypatch, tmp_path):
    for name in ServerSettings.model_fields:
        monkeypatch.setenv(f"ORRERY_{name.upper()}", "")
    assert read_settings() == ServerSettings(data=tmp_path / "share" / "orrery")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.4", "studio.lab", "127.0.0.1.evil.com"])
def test_an_address_that_others_reach_needs_a_token(monkeypatch, host):
    monkeypatch.setenv("ORRERY_HOST", host)
    with pytest.raises(CannotListen, match=r"no token is set.*--token or ORRERY_TOKEN"):
        read_settings()
    monkeypatch.setenv("ORRERY_TOKEN", "secret")
    assert read_settings().host == host


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True), ("10.0.0.1", False), ("", False)],
)
def test_loopback_is_what_only_this_machine_reaches(host, loopback):
    assert is_loopback(host) is loopback


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("PORT", "x", "port is 'x'"),
        ("PORT", "-1", "at least 0"),
        ("PORT", "65536", "the maximum is 65535"),
        ("DEVICE", "tpu", "device is 'tpu'"),
    ],
)
def test_a_variable_that_means_nothing_is_named(monkeypatch, name, value, says):
    monkeypatch.setenv(f"ORRERY_{name}", value)
    with pytest.raises(BadInput, match=rf"{says}.*It is set by --{name.lower()} or ORRERY_{name}\."):
        read_settings()


@pytest.mark.parametrize("token", [" ", "\t\n", "schlüssel", "a\nb", " padded", "\x7f"])
def test_a_token_that_no_header_carries_is_refused_and_not_shown(monkeypatch, token):
    monkeypatch.setenv("ORRERY_TOKEN", token)
    with pytest.raises(BadInput, match=r"^token: the token must consist of printable ASCII.*ORRERY_TOKEN\.") as caught:
        read_settings()
    assert token not in str(caught.value) or token == " "


def test_a_data_folder_is_absolute_and_somebodys(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert chosen_data_folder(Path("d")) == tmp_path / "d"
    assert chosen_data_folder(Path("~/d")) == tmp_path / "d"
    monkeypatch.setenv("ORRERY_DATA", "~nobody-of-this-name/d")
    with pytest.raises(BadInput, match="home of an unknown user"):
        read_settings()
