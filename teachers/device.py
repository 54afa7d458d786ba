"""Where a network runs: its device, its threads, its narrow numbers."""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress

import torch

from problems.errors import UserError


def chosen_device(word: str) -> torch.device:
    """`auto` is CUDA when it is there, else the CPU. Raises UserError for a device that is not."""
    if word == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        torch.empty(0, device=word)
    except (RuntimeError, AssertionError) as error:  # builds without CUDA raise the latter
        raise UserError(f"no device {word!r} here; use auto or cpu") from error
    return torch.device(word)


def use_one_thread() -> None:
    """For commands that own their process: the same sums everywhere, and no waiting for cores.

    The networks are narrow; on a busy machine the barriers between threads cost more than all
    else.
    """
    torch.set_num_threads(1)


def use_all_threads() -> None:
    """For trainings with large batches: a thread for each core that this process may use."""
    torch.set_num_threads(count_cores())


def count_cores() -> int:
    """The cores that this process may use, where the system tells; else all."""
    bound = hasattr(os, "sched_getaffinity")
    return len(os.sched_getaffinity(0)) if bound else os.cpu_count() or 1


def give_back_memory() -> None:
    """Hand freed memory back to the system, where its C library can (glibc).

    Batches of many sizes leave holes between each other, which a process would keep.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def is_quick_in_bfloat16(device: torch.device) -> bool:
    """Whether products of bfloat16 are faster than those of float32.

    Processors without instructions for them take ten times as long.
    """
    if device.type != "cpu":
        return True
    can = torch.cpu.get_capabilities()
    return bool(can.get("avx512_bf16") or can.get("amx_bf16"))
