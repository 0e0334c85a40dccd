"""How much memory a device has left."""

from __future__ import annotations

import os

import torch


def free_bytes(device: torch.device) -> int:
    """What can still be taken: of a GPU what nobody has or this process keeps without use, of the host free pages."""
    if device.type == "cuda":
        unused = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
        return torch.cuda.mem_get_info(device)[0] + unused
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
