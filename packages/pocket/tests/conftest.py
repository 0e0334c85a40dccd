"""Threads of torch that share two cores with another test's."""

import os

# A thread that waits for another must sleep, or it takes the core of the one that it waits for. Read when torch is
# first imported, here and in every process that a test starts.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
