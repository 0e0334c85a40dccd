"""What the tests of the language share with those of the command line."""

from fake_server import anyio_backend, clean_environment, fake_server, silent_port, switchboard

__all__ = ["anyio_backend", "clean_environment", "fake_server", "silent_port", "switchboard"]
