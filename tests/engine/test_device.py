from __future__ import annotations

import weakref

import pytest
import torch

from engine.device import Threads, pick_device, pick_dtype, typed_out_of_memory
from studio.errors import OutOfMemory

CPU = torch.device("cpu")


def test_a_gpu_that_is_full_becomes_a_typed_error():
    with pytest.raises(OutOfMemory, match="Tried to allocate"), typed_out_of_memory(CPU):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20 GiB.\nmore")


def test_so_does_a_machine_that_is_full():
    with pytest.raises(OutOfMemory, match="cpu is out of memory"), typed_out_of_memory(CPU):
        torch.empty(2**60, dtype=torch.uint8)


def test_what_the_failed_call_held_is_free_before_anybody_reads_of_it():
    held: list[weakref.ref[torch.Tensor]] = []

    def fill() -> None:
        activations = torch.ones(8)
        held.append(weakref.ref(activations))
        raise torch.OutOfMemoryError("full")

    with pytest.raises(OutOfMemory) as raised, typed_out_of_memory(CPU):
        fill()
    assert raised.value.__traceback__ is not None
    assert held[0]() is None


def test_other_errors_pass():
    with pytest.raises(RuntimeError, match="something else"), typed_out_of_memory(CPU):
        raise RuntimeError("something else")


def test_a_cpu_computes_in_float32_and_a_gpu_in_what_is_stored():
    assert pick_dtype(CPU, torch.bfloat16) == torch.float32
    assert pick_dtype(torch.device("cuda"), torch.bfloat16) == torch.bfloat16
    assert pick_device("cpu") == CPU


def test_a_small_checkpoint_takes_one_thread_for_small_steps_and_two_at_most():
    before = torch.get_num_threads()
    threads = Threads.of(CPU, 1_000_000)
    threads.for_step(128)
    assert torch.get_num_threads() == 1
    threads.for_decode(1024 * 1024)
    assert torch.get_num_threads() <= 2
    torch.set_num_threads(before)


def test_a_larger_checkpoint_takes_two_threads_for_fewer_tokens():
    speck, pocket = Threads.of(CPU, 800_000), Threads.of(CPU, 11_600_000)
    assert pocket.small_tokens < 537 < speck.small_tokens


def test_a_large_checkpoint_takes_what_there_is():
    before = torch.get_num_threads()
    threads = Threads.of(CPU, 10**9)
    threads.for_step(1)
    threads.for_decode(1024 * 1024)
    assert torch.get_num_threads() == before
