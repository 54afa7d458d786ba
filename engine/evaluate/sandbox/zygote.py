"""The process that children are forked from: Python, NumPy and the instances, loaded once.

It has one thread, no secret (its environment is an allow-list) and one socket, to the engine. A
fork of it costs milliseconds where a fresh interpreter costs tenths of a second. numba is loaded
when the first program is to be compiled, and then every child inherits it.

On the control socket the engine sends a `COMMAND` a job; a run carries a socket of its own, from
which the request is read and on which the child then answers. Every run is answered by a `REPORT`.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import selectors
import signal
import socket
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from engine.evaluate.compiled.compile import load_numba, warm_up
from engine.evaluate.gate.vocabulary import MODULES, SCIPY
from engine.evaluate.rollout import (
    answer_again,
    continue_from,
    solve_all,
    try_variants,
)
from engine.evaluate.sandbox import child as sandbox
from engine.evaluate.sandbox.child import Level, Limits
from engine.evaluate.sandbox.messages import ASK, COMMAND, REPORT, RUN, WORKING
from problems import ProblemRef, load
from problems.base import Problem
from problems.own_code import watch_calls

BROKEN = 70
"""Exit status of a child that failed outside the program (EX_SOFTWARE)."""


@dataclass(slots=True)
class Zygote:
    """The state of the process: the problem, the sets loaded so far, the children alive."""

    control: socket.socket
    level: Level
    limits: Limits
    problem: Problem
    sets: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    children: dict[int, int] = field(default_factory=dict)  # job -> process id

    def serve(self) -> None:
        """Serve the engine until it is gone; then no child is left."""
        with selectors.DefaultSelector() as events:
            events.register(self.control, selectors.EVENT_READ, self.handle_command)
            events.register(_child_ended(), selectors.EVENT_READ, self.report_ended)
            try:
                while True:
                    for key, _ in events.select():
                        key.data(key.fileobj)
            finally:
                self.kill_children()

    def handle_command(self, control: socket.socket) -> None:
        """Start, kill or look at one child. Raises SystemExit when the engine is gone."""
        message, descriptors, _, _ = socket.recv_fds(control, COMMAND.size, 1)
        if not message:
            raise SystemExit
        what, job = COMMAND.unpack(message)
        if what == RUN:
            with socket.socket(fileno=descriptors[0]) as channel:
                self.start(job, channel)
        elif what == ASK and job in self.children:
            self.report(job, WORKING, _cpu_seconds(self.children[job]))
        elif job in self.children:
            os.kill(self.children[job], signal.SIGKILL)

    def start(self, job: int, channel: socket.socket) -> None:
        """Fork the child of a job; a request that breaks off is reported as ended."""
        with channel.makefile("rb") as lines:
            line = lines.readline()
        if not line.endswith(b"\n"):
            self.report(job, signal.SIGKILL, 0.0)
            return
        request = json.loads(line)
        if request.get("compiles"):
            warm_up(self.problem)
        if self.problem.contract.whole and "numba" in request["code"]:
            load_numba()
        if self.problem.contract.scipy and "scipy" in request["code"]:
            for module in SCIPY:  # a child may not start threads, as libraries do when loaded
                importlib.import_module(module)
        self.instances(request["set"])
        zygote = os.getpid()
        child = os.fork()
        if child == 0:
            self.become_child(request, channel.fileno(), zygote)
        self.children[job] = child

    def instances(self, name: str) -> tuple[Any, ...]:
        """A set of instances; loaded once, and then kept out of the garbage collector's way."""
        if name not in self.sets:
            self.sets[name] = self.problem.load(name)
            gc.collect()
            gc.freeze()  # children would copy the pages that a collection touches
        return self.sets[name]

    def become_child(self, request: dict[str, Any], channel: int, zygote: int) -> None:
        """In the fork: enter the sandbox, then run the program. Never returns."""
        status = BROKEN
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            reads = None if request["reads"] is None else frozenset(request["reads"])
            instances = self.instances(request["set"])
            watch_calls(self.limits.cpu_seconds)
            if self.problem.contract.scipy:
                _see_one_processor()
            if "again" in request:
                sandbox.enter(self.level, self.limits, channel, zygote)
                answer_again(self.problem, instances, request, sandbox.CHANNEL)
            else:
                lives_on = request["variants"] is not None  # and looks at its time by itself
                limits = self.limits.within(request["seconds"])
                if lives_on:
                    limits = replace(self.limits, cpu_seconds=sandbox.LIFE)
                compiles = request["compiles"]
                sandbox.enter(self.level, limits, channel, zygote, compiles)
                if request["chosen"] is not None and not lives_on:
                    instances = tuple(instances[index] for index in request["chosen"])
                within = limits.cpu_seconds if compiles else None
                how = (request["code"], reads, within, sandbox.CHANNEL)
                if lives_on:
                    try_variants(self.problem, instances, request, sandbox.CHANNEL)
                elif request["forced"] is not None:
                    prefixes = list(zip(instances, request["forced"], strict=True))
                    continue_from(self.problem, prefixes, *how)
                else:
                    more = (request["watched"], request["skip"], request["alike"])
                    solve_all(self.problem, instances, *how, *more)
            status = 0
        finally:
            os._exit(status)

    def report_ended(self, ended: socket.socket) -> None:
        """Report every child that has ended."""
        ended.recv(1024)
        for job, child in list(self.children.items()):
            pid, status, usage = os.wait4(child, os.WNOHANG)
            if pid:
                _kill_group(child)  # what it may have left behind
                del self.children[job]
                self.report(job, status, usage.ru_utime + usage.ru_stime)

    def report(self, job: int, status: int, seconds: float) -> None:
        """Tell the engine; if it is gone, `handle_command` will find out."""
        with suppress(BrokenPipeError):
            self.control.sendall(REPORT.pack(job, status, seconds))

    def kill_children(self) -> None:
        """Kill and collect all children."""
        for child in self.children.values():
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            _kill_group(child)


def _see_one_processor() -> None:
    """SciPy's HiGHS starts a thread for every other processor; a child may start none."""
    if hasattr(os, "sched_setaffinity"):
        processors = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {processors[os.getpid() % len(processors)]})


def _kill_group(child: int) -> None:
    """Kill what an ended child started, on systems where the sandbox cannot keep it from that."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)


def _cpu_seconds(child: int) -> float:
    """What a process has used so far, by Linux's clock of it (clock_getcpuclockid(3)); else 0."""
    try:
        return time.clock_gettime(~child << 3 | 2)
    except OSError:
        return 0.0


def _child_ended() -> socket.socket:
    """A socket that becomes readable when a child has ended."""
    readable, writable = socket.socketpair()
    readable.setblocking(False)
    writable.setblocking(False)
    signal.set_wakeup_fd(writable.detach(), warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return readable


def main(descriptor: int, engine: int, settings: list[Any]) -> None:
    """Serve the engine, process `engine`, at the other end of `descriptor`."""
    sandbox.die_with(engine)
    name, options, *limits = settings
    with socket.socket(fileno=descriptor) as control:
        level = sandbox.probe()
        sandbox.prepare(level)
        for module in MODULES:  # for the children
            importlib.import_module(module)
        problem = load(ProblemRef(name, tuple((key, value) for key, value in options)))
        control.sendall(level.encode() + b"\n")
        Zygote(control, level, sandbox.Limits(*limits), problem).serve()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3]))
