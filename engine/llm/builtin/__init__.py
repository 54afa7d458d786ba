"""The default writer: genetic programming over a task's contract and seeds; no language model."""

from engine.llm.builtin.writer import Builtin

__all__ = ["Builtin"]
