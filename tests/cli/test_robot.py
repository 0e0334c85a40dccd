"""`orrery robot`, as the program that it becomes."""

from __future__ import annotations


def test_its_flags_are_the_programs_own(spawn):
    stdout, stderr = spawn("robot", "--help").communicate(timeout=120)

    assert stderr == b""
    assert b"--exterior-1" in stdout


def test_what_it_cannot_do_is_said_in_one_line(spawn):
    process = spawn("robot", "--arm", "replay")
    stdout, stderr = process.communicate(timeout=120)

    assert process.returncode == 2
    assert stdout == b""
    assert len(stderr.splitlines()) == 1
    assert b"Neither a server nor an instruction is set. Set --server" in stderr
