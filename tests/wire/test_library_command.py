"""`orrery library` on a real server: what a person finds, keeps in order and takes along."""

import zipfile
from pathlib import Path

from typer.testing import CliRunner, Result

from cli import main
from running import RunningServer
from sent_files import picture_bytes


def orrery(server: RunningServer, *words: object) -> Result:
    result = CliRunner().invoke(main, ["library", *(str(word) for word in words), "--server", server.url])
    assert result.exit_code == 0, result.output
    return result


def test_an_item_is_found_starred_tagged_thrown_away_and_taken_back(server: RunningServer, tmp_path: Path):
    sent = server.post("/v1/media", files={"file": ("ledge.png", picture_bytes(37, 21))}).json()["id"]

    assert sent in orrery(server, "--limit", 5).stdout
    assert orrery(server, "star", sent).stdout.split() == [sent]
    assert orrery(server, "tag", sent, "--add", "ledge").stdout.split() == [sent]
    (row,) = [line for line in orrery(server, "--starred", "--tag", "ledge").stdout.splitlines() if sent in line]
    assert "37x21" in row
    assert "ledge" in row

    assert sent not in orrery(server, "--batch", "0123456789ab").stdout

    orrery(server, "trash", sent)
    assert sent not in orrery(server, "--tag", "ledge").stdout
    assert sent in orrery(server, "--trashed").stdout
    orrery(server, "trash", sent, "--restore")
    orrery(server, "star", sent, "--off")
    assert sent not in orrery(server, "--starred").stdout

    output = tmp_path / "taken.zip"
    assert "taken.zip" in orrery(server, "export", output, sent).stdout.replace("\n", "")
    with zipfile.ZipFile(output) as taken:
        assert any(name.startswith(sent) or sent in name for name in taken.namelist())


def test_words_that_nothing_has_find_nothing_and_odd_ones_are_no_syntax(server: RunningServer):
    for words in ("zzzznothing", "zzzznothing OR (", 'zzzznothing" NEAR/2 *', "-zzzznothing ^y:z"):
        assert orrery(server, "--search", words).stdout.count("\n") <= 1
    orrery(server, "--search", '"')  # which says nothing to look for
