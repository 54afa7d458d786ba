"""Analyzer replies as models send them, and the slots that each gives a brief to."""

from __future__ import annotations

OPERATORS = {1: "s", 2: "p", 3: "m", 4: "s", 5: "p"}
"""The slots that every reply is about."""

ALL = frozenset(OPERATORS)
NONE: frozenset[int] = frozenset()

PLAIN = "\n".join(f"Slot {slot}: goal {slot}" for slot in OPERATORS)
CODE = "```python\ndef score(feature, state):\n    return -feature.processing_time\n```"

SHAPES: dict[str, tuple[str, frozenset[int]]] = {
    "as asked for": (
        "## s  (structural rewrite)\nSlot 1: goal 1\nSlot 4: goal 4\n\n"
        "## p  (parameter calibration)\nSlot 2: goal 2\nSlot 5: goal 5\n\n"
        "## m  (mechanism fusion)\nSlot 3: goal 3\n",
        ALL,
    ),
    "slots alone": (PLAIN, ALL),
    "slots in another order": ("\n".join(reversed(PLAIN.split("\n"))), ALL),
    "bold slots": ("\n\n".join(f"**Slot {k}:** goal {k}" for k in OPERATORS), ALL),
    "bold with operators": (
        "\n".join(f"**Slot {k} ({o})** — goal {k}" for k, o in OPERATORS.items()),
        ALL,
    ),
    "headings": ("\n".join(f"### Slot {k}\ngoal {k}\n" for k in OPERATORS), ALL),
    "headings with operators": (
        "\n".join(f"## Slot {k} - {o}\ngoal {k}\n" for k, o in OPERATORS.items()),
        ALL,
    ),
    "headings with parents": (
        "\n".join(
            f"### Slot {k} ({o} of p0003, variant 1 of 2)\ngoal {k}" for k, o in OPERATORS.items()
        ),
        ALL,
    ),
    "capitals": (PLAIN.upper(), ALL),
    "numbered list of slots": ("\n".join(f"{k}. Slot {k}: goal {k}" for k in OPERATORS), ALL),
    "bullets": ("\n".join(f"- slot {k}: goal {k}" for k in OPERATORS), ALL),
    "stars": ("\n".join(f"* *slot {k}*: goal {k}" for k in OPERATORS), ALL),
    "quoted": ("\n".join(f"> Slot {k}: goal {k}" for k in OPERATORS), ALL),
    "number sign": ("\n".join(f"Slot #{k}: goal {k}" for k in OPERATORS), ALL),
    "dashes": ("\n".join(f"Slot {k} \u2013 goal {k}" for k in OPERATORS), ALL),
    "a paragraph below": ("\n\n".join(f"Slot {k}\n\ngoal {k}\nand more" for k in OPERATORS), ALL),
    "windows line ends": (PLAIN.replace("\n", "\r\n"), ALL),
    "a table": ("\n".join(f"| Slot {k} | goal {k} |" for k in OPERATORS), ALL),
    "json": ("{\n" + ",\n".join(f'"slot {k}": "goal {k}"' for k in OPERATORS) + "\n}", ALL),
    "in a fence": (f"```\n{PLAIN}\n```", ALL),
    "after a preamble": (f"Here is my analysis of the run.\n\n{PLAIN}", ALL),
    "before a closing": (f"{PLAIN}\n\nGood luck!", ALL),
    "two slots share a paragraph": (
        "Slots 1 and 4: goal both\nSlot 2: goal 2\nSlot 3: goal 3\nSlot 5: goal 5",
        ALL,
    ),
    "slots joined by a stroke": ("Slots 1/4: both\nSlots 2/5: both\nSlot 3: alone", ALL),
    "operators alone": ("## s\ndare\n## p\ntune\n## m\nfuse", ALL),
    "capital operators": ("## S (structural rewrite)\ndare\n## P\ntune\n## M\nfuse", ALL),
    "numbered operators": ("1. s (structural rewrite)\ndare\n2. p (x)\ntune\n3. m (y)\nfuse", ALL),
    "bulleted operators": ("- s\ndare\n- p\ntune\n- m\nfuse", ALL),
    "operators with text beside": ("**s**: dare\n**p**: tune\n**m**: fuse", ALL),
    "code ticks": ("### `s`\ndare\n### `p`\ntune\n### `m`\nfuse", ALL),
    "brackets": ("## (s)\ndare\n## (p)\ntune\n## (m)\nfuse", ALL),
    "one operator left out": ("## s\ndare\n## m\nfuse", frozenset({1, 3, 4})),
    "one slot left out": ("Slot 1: a\nSlot 3: c\nSlot 4: d\nSlot 5: e", frozenset({1, 3, 4, 5})),
    "one slot empty": (PLAIN.replace("goal 2", ""), frozenset({1, 3, 4, 5})),
    "one slot twice": (f"{PLAIN}\nSlot 2: another", frozenset({1, 3, 4, 5})),
    "one operator twice": (
        "## s\ndare\n## s\ndare more\n## p\ntune\n## m\nfuse",
        frozenset({2, 3, 5}),
    ),
    "cut off": (PLAIN[: PLAIN.index("goal 4")], frozenset({1, 2, 3})),
    "slots that are not there": (f"{PLAIN}\nSlot 9: goal 9\nSlot 0: goal 0", ALL),
    "a slot named in a sentence": (
        PLAIN.replace("goal 2", "goal 2\nSlot 1 does the opposite.\nslot 3's program is longer"),
        ALL,
    ),
    "a list of quantities": (
        PLAIN.replace("goal 3", "goal 3\n- p: the duration\n- s: slack"),
        ALL,
    ),
    "nothing to say": ("I have no comments.", NONE),
    "a refusal": ("I'm sorry, but I can't help with that.", NONE),
    "a program": (CODE, NONE),
    "a program in braces": ("{Do it.}\n" + CODE, NONE),
    "empty": ("", NONE),
    "blank": (" \n\t\n ", NONE),
    "headings alone": ("## s\n## p\n## m\n", NONE),
    "dots as in the request": ("## s\nSlot 1: ...\nSlot 4: ...", NONE),
}
