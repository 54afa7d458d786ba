"""What tests need to know of running processes (Linux)."""

from __future__ import annotations

from pathlib import Path


def session(leader: int) -> list[int]:
    """The live processes of a session besides its leader, wherever their parents are now."""
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = file.read_text()
        except OSError:  # gone in the meantime
            continue
        state, _, _, leads = text.rpartition(")")[2].split()[:4]
        if int(leads) == leader and int(file.parent.name) != leader and state != "Z":
            found.append(int(file.parent.name))
    return found


def alive(process: int) -> bool:
    """True for a process that exists and is no zombie."""
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] != "Z"
