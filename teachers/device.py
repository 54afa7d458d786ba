"""Where a network runs: the device of the command line's word, and one thread."""

from __future__ import annotations

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
