"""What a search has tried: what changed, what it did to the cost, what constants did."""

from __future__ import annotations

from collections.abc import Sequence

from engine.domain.text.figures import digits
from engine.domain.tuning import Effect, TunedConstant, Tuning
from engine.domain.values import Candidate
from engine.search.paired import compare
from engine.search.prompts.changes import changed_lines, likeness
from engine.search.prompts.formatting import cut, number, two_digits
from engine.search.prompts.programs import cost_difference, find_best, find_leaders

CHANGES = 14
"""Changed lines shown of a child, all or none."""

DETAILED = 2
"""Children shown with their changed lines."""

WIDTH = 120
"""Characters of a changed line."""

IDEA = 400
"""Characters of an idea: more than a writer is asked for, so that few are cut."""

NEAR = 0.5
"""Share of its lines that a child has from a program on which it was written."""

RECORDS = 2
"""Of the children that were the best when they came, the latest that are always shown."""


def list_attempts(parents: Sequence[Candidate], seen: Sequence[Candidate], few: int = 6) -> str:
    """Attempts that bear on these parents, newest first.

    Their children, with the lines that changed, how they came about themselves, the latest that
    were the best of the search when they came, and the newest of all as far as `few` reach.
    """
    ids = {parent.id for parent in parents}
    children = _list_children(seen)
    own = [child for child in children if child.parents[0] in ids][:3]
    born = [child for child in children if child.id in ids]
    chosen = {c.id for c in (*own, *born, *find_records(seen)[-RECORDS:])}
    spare = [child.id for child in children if child.id not in chosen]
    chosen.update(spare[: max(0, few - len(chosen))])
    lines = _list_constants(parents, seen)
    for child in children:
        if child.id in chosen:
            lines.append(_tell(child, seen))
        if child in own[:DETAILED]:
            lines[-1] += _changes(child, find_base(child, seen))
    return "\n".join(lines)


def list_newest(seen: Sequence[Candidate], most: int = 12) -> str:
    """The newest children of a search, and those that were the best when they came."""
    children = _list_children(seen)
    chosen = {c.id for c in (*children[:most], *find_records(seen)[-RECORDS:])}
    told = [_tell(child, seen) for child in children if child.id in chosen]
    return "\n".join([*_list_constants((), seen), *told])


def _list_constants(parents: Sequence[Candidate], seen: Sequence[Candidate]) -> list[str]:
    """The constants of parents and of the best program, each by the latest search over them."""
    best = find_best(seen)
    lines = []
    for id in dict.fromkeys(c.id for c in (*parents, best) if c is not None):
        searches = [c.tuning for c in seen if c.tuning and id in (c.id, _kept(c))]
        if searches:
            lines.append(f"- {id} by its constants{list_constants(searches[-1])}")
    return lines


def _list_children(seen: Sequence[Candidate]) -> list[Candidate]:
    """Newest first, without searches over constants that gained nothing: these tell of no idea."""
    return [child for child in reversed(seen) if child.parents and not _kept(child)]


def _kept(child: Candidate) -> str:
    """The program that a search over its constants has left as it was; else empty."""
    failed = child.failure is not None and child.failure.kind == "no gain"
    return child.parents[0] if failed and child.parents else ""


def find_records(seen: Sequence[Candidate]) -> list[Candidate]:
    """The children that were the best of the search when they came, in order."""
    records = []
    best = min((c.cost for c in seen if not c.parents and c.cost is not None), default=None)
    for child in seen:
        if not child.parents or child.cost is None or child.failure is not None:
            continue
        if best is None or child.cost < best:
            records.append(child)
            best = child.cost
    return records


def find_base(child: Candidate, seen: Sequence[Candidate]) -> Candidate | None:
    """The program on which a child was really written: a parent, or the best of its time.

    None where it has less than half of its lines from any of these.
    """
    own = [c for name in child.parents for c in seen if c.id == name]
    if not child.program.code:
        return None
    older = (c for c in reversed(find_leaders(seen)) if c.generation < child.generation)
    best = next(older, None)
    known = own if best is None else [*own, best]
    likes = [likeness(base.program.code, child.program.code) for base in known]
    most = max(likes, default=0.0)
    return known[likes.index(most)] if most >= NEAR else None


def _tell(child: Candidate, seen: Sequence[Candidate]) -> str:
    """One attempt: its operator and parents, what became of it, its idea."""
    base = find_base(child, seen)
    text = f"- {child.id} ({child.operator} of {' with '.join(child.parents)}"
    if base is not None and base.id not in child.parents:
        text += f", written on {base.id}"
    told = f"{_outcome(child, base, seen)}. {cut(child.program.idea, IDEA)}"
    return f"{text}): {told}"


def _outcome(child: Candidate, base: Candidate | None, seen: Sequence[Candidate]) -> str:
    """Its failure, or its cost beside that of its first parent, its base and the best."""
    if child.failure is not None:
        return f"rejected, {child.failure.kind}: {cut(child.failure.message, 200)}"
    parent = next((c for c in seen if c.id == child.parents[0]), None)
    facts = [f"cost {number(child.cost)}"]
    if parent is not None:
        facts.append(cost_difference(child, parent))
    best = find_best(seen) or child
    others = {c.id: c for c in (base, best) if c is not None and c is not parent}
    for other in others.values():
        found = compare(child.costs, other.costs)
        if other.id != child.id and found is not None:
            apart = f"{digits(found.mean, 3, '+')} ± {digits(found.stderr, 1)}"
            facts.append(f"{apart} against {other.id}")
    if best.id == child.id:
        facts.append("the best so far")
    if child.cpu and not child.decisions:
        facts.append(f"CPU {two_digits(child.cpu)} s")
    return "; ".join(filter(None, facts))


def _changes(child: Candidate, base: Candidate | None) -> str:
    """The lines that a child added to its base and took from it, if they are few."""
    if base is None:
        return ""
    changed = changed_lines(base.program.code, child.program.code)
    if len(changed) > CHANGES:
        return ""
    return "".join(f"\n    {line[:WIDTH]}" for line in changed)


NAME = 60
"""Characters of a constant's name."""


SPECIAL = {0.0: "at 0", -1.0: "sign turned"}
"""Names of factors."""


def list_constants(tuning: Tuning) -> str:
    """What moving each constant alone added to the mean cost, each line after a line end.

    Those that nothing was shown of share the last line.
    """
    told, flat = [], []
    for one in tuning.constants:
        is_new = tuning.accepted and one.after != one.before
        moved = f"{cut(one.name, NAME)} {number(one.before)}"
        moved += f" -> {number(one.after)}" if is_new else ""
        effects = _effects(one, f", from {number(one.before)}" if is_new else "")
        if effects is None:
            flat.append(moved)
        else:
            told.append(f"{moved}{effects}")
    told += [f"no effect beyond two standard errors: {', '.join(flat)}"] if flat else []
    return "".join(f"\n    {line}" for line in told)


def _effects(one: TunedConstant, origin: str) -> str | None:
    """`, less of it costs more: x0.667 +0.3 ± 0.07, x1.5 -0.02 ± 0.09, at 0 +1.2 ± 0.4`.

    `origin` stands before the colon. Empty where nothing was tried, None where nothing is shown.
    """
    sides = [one for one in (one.down, one.up, one.zero, one.turned) if one is not None]
    judged = _judge(one.down, one.up)
    if not sides:
        return ""
    if not any(side.is_clear for side in sides):
        return None
    if judged == "flat":
        judged = "flat nearby"
    effects = [f"{digits(side.mean, 3, '+')} ± {digits(side.stderr, 2)}" for side in sides]
    named = [SPECIAL.get(side.factor, f"x{side.factor:.3g}") for side in sides]
    told = ", ".join(f"{name} {effect}" for name, effect in zip(named, effects, strict=True))
    return f"{', ' * bool(judged)}{judged}{origin}: {told}"


def _judge(down: Effect | None, up: Effect | None) -> str:
    """In a word or two which way the cost goes; within two standard errors it does not go.

    Empty where neither way was tried.
    """
    if down is None and up is None:
        return ""
    said = [
        f"{way} costs {'more' if side.mean > 0 else 'less'}"
        for way, side in (("less of it", down), ("more of it", up))
        if side is not None and side.is_clear
    ]
    if len(said) == 2 and down is not None and up is not None and min(down.mean, up.mean) > 0:
        return "steep both ways"
    return " and ".join(said) or "flat"
