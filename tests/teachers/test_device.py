"""Where a network runs."""

from __future__ import annotations

import os
from collections.abc import Mapping

import pytest
import torch

from problems.errors import UserError
from teachers.device import chosen_device, is_quick_in_bfloat16, use_all_threads


def test_a_device_that_is_not_there_is_refused() -> None:
    assert chosen_device("cpu") == torch.device("cpu")
    with pytest.raises(UserError, match="use auto or cpu"):
        chosen_device("meta:nowhere")


@pytest.mark.parametrize(
    ("able", "quick"),
    [
        ({}, False),
        ({"avx2": True, "avx512_bf16": False, "amx_bf16": False}, False),
        ({"avx512_bf16": True}, True),
        ({"amx_bf16": True}, True),
    ],
)
def test_a_processor_without_instructions_for_it_is_slow_in_bfloat16(
    able: Mapping[str, bool], quick: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: able)
    assert is_quick_in_bfloat16(torch.device("cpu")) is quick
    assert is_quick_in_bfloat16(torch.device("cuda"))


def test_a_training_takes_a_thread_for_each_core_that_it_may_use(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken = list[int]()
    monkeypatch.setattr(torch, "set_num_threads", taken.append)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5, 7}, raising=False)
    use_all_threads()
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    use_all_threads()
    assert taken == [3, 1]
