"""Mistakes in a problem of a user's own: edits of what `preceptor new problem` writes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mistake:
    """`old` becomes `new` in a file; the report names the line of `blamed`, and says `words`."""

    name: str
    old: str
    new: str
    blamed: str
    words: str
    file: str = "problem.py"


CLASS = "class Problem:"
STEP = "    def step(self, state: State, action: int) -> State:"
NEXT = "return State(state.instance, spaces, state.placed + 1)"
BUILD = '    """The problem; options'
ACTIONS = "    def actions(self, state: State) -> tuple[int, ...]:"
FITTING = "return (*fitting, len(state.spaces))"
DECIDE = "    def decide(self, function: Callable[..., Any], state: State) -> int:"
CHOICE = "return max(scores, key=lambda action: (scores[action], -action))"
FIELDS = "    def fields(self, state: State, action: int) -> Mapping[str, float]:"
NUMBERS = "return {**_describe_bin(state, action), **_describe(state)}"
COST = "    def cost(self, state: State) -> float:"
COUNT = "return float(len(state.spaces))"
OBJECTIVE = "    def objective(self, cost: float) -> float:"
DRAW = "    def draw(self, state: State) -> str:"
PICTURE = 'return "\\n".join([f"{state.placed} items placed", *bars[-22:]])'
LOAD = "    def load(self, name: str) -> tuple[Instance, ...]:"
LOADED = "return load_set(name)"
SETS = "    def sets(self) -> tuple[InstanceSet, ...]:"
SEEDS = "    def seeds(self) -> tuple[Rule, ...]:"
RULES = "    def rules(self) -> tuple[Rule, ...]:"
START = "    def start(self, instance: Instance) -> State:"
FIRST = "return State(instance)"
FIRST_FIT = "return -bin.index"
REFUSAL = "        if action not in self.actions(state):\n            raise InvalidAction"
REFUSED = "        if False:\n            raise InvalidAction"
NUMBER = (
    "        if isinstance(score, bool) or not isinstance(score, int | float):\n"
    "            raise InvalidAction"
)
DRAWN = "    return tuple(_draw(f"

IN_MODULE = (
    Mistake(
        "a syntax error", CLASS, "class Problem", "class Problem", "SyntaxError: expected ':'"
    ),
    Mistake(
        "a package that is not there",
        "import math",
        "import math\nimport no_such_package",
        "import no_such_package",
        "No module named 'no_such_package'",
    ),
    Mistake(
        "a file beside it without a dot",
        "from .data import",
        "from data import",
        "from data import",
        "is imported with a dot: from . import data",
    ),
    Mistake(
        "a name that is not imported",
        "import math\n",
        "import math\nHALF = CAPACITY / two\n",
        "HALF = CAPACITY / two",
        "NameError: name 'CAPACITY' is not defined",
    ),
    Mistake(
        "an end of the process",
        "CONTRACT = Contract(",
        "raise SystemExit(1)\nCONTRACT = Contract(",
        "raise SystemExit(1)",
        "SystemExit: 1",
    ),
    Mistake(
        "an error in the file beside it",
        "CAPACITY = 150",
        "CAPACITY = 150 / 0",
        "CAPACITY = 150 / 0",
        "ZeroDivisionError: division by zero",
        "data.py",
    ),
    Mistake("no build", "def build()", "def make()", "", "no function build() that returns"),
    Mistake("a build of nothing", "return Problem()", "Problem()", "def build()", "returned None"),
    Mistake(
        "a build that fails",
        "return Problem()",
        "return Problem(wide=True)",
        "return Problem(wide=True)",
        "TypeError: Problem.__init__() got an unexpected keyword argument 'wide'",
    ),
    Mistake(
        "a build of something else",
        "return Problem()",
        "return {}",
        "",
        "builtins.dict: no name",
    ),
)
"""Those that are found when the problem is loaded."""

IN_PARTS = (
    Mistake(
        "no step",
        "def step(self",
        "def advance(self",
        CLASS,
        "no step(state, action); the seam says of step: The next state.",
    ),
    Mistake("no draw", "def draw(self", "def paint(self", CLASS, "no draw(state)"),
    Mistake("no design", '    design: str = "design"\n', "", CLASS, "no design"),
    Mistake(
        "an empty name",
        "Path(__file__).parent.name\n",
        '""\n',
        '    name: str = ""',
        "name is '', not a word",
    ),
    Mistake(
        "a contract that is none",
        "contract: Contract = CONTRACT",
        'contract: str = "pack bins"',
        'contract: str = "pack bins"',
        "contract is 'pack bins', not a Contract",
    ),
    Mistake(
        "an answer that is none",
        'answer="score"',
        'answer="scores"',
        "contract: Contract",
        "contract.answer is 'scores', not 'score', 'action' or 'solution'",
    ),
    Mistake(
        "fields that are one field",
        '"a bin with room for the item, or a new one", BIN',
        '"a bin with room for the item, or a new one", BIN[0]',
        "contract: Contract",
        "fields of argument bin is Field Field(",
    ),
    Mistake(
        "a function with a space",
        'function="score"',
        'function="the score"',
        "contract: Contract",
        "'the score' in the contract is no name in Python",
    ),
    Mistake(
        "a function called like a word of the language",
        'function="score"',
        'function="lambda"',
        "contract: Contract",
        "'lambda' in the contract is no name in Python",
    ),
    Mistake(
        "a field with a space",
        'Field("space", "size",',
        'Field("free space", "size",',
        "contract: Contract",
        "field 'free space' of argument bin in the contract is no name in Python (dotted where",
    ),
    Mistake(
        "a field without a unit",
        'Field("space", "size",',
        'Field("space", None,',
        "contract: Contract",
        "field 'space' of argument bin in the contract: its unit is None, not a text",
    ),
    Mistake("no states", "states: int = 256", "states: int = 0", "states: int = 0", "not a whole"),
    Mistake(
        "states as text",
        "states: int = 256",
        'states: str = "256"',
        'states: str = "256"',
        "states is '256', not a whole number above 0",
    ),
    Mistake(
        "a step without an action",
        STEP,
        "    def step(self, state: State) -> State:",
        "    def step(self, state: State) -> State:",
        "cannot be called as step(state, action)",
    ),
    Mistake(
        "a cost that wants more",
        COST,
        "    def cost(self, state: State, instance: Instance) -> float:",
        "    def cost(self, state: State, instance",
        "cannot be called as cost(state)",
    ),
)
"""Those that are found by looking at the parts."""

IN_SUITE = (
    Mistake(
        "a design set that is none",
        '    design: str = "design"',
        '    design: str = "desing"',
        '    design: str = "desing"',
        "design is 'desing', which is no set of sets() with design=True (these are: ['design'",
    ),
    Mistake("sets as a list", "return SETS", "return [*SETS]", SETS, "not a tuple of InstanceSet"),
    Mistake("a set twice", "return SETS", "return SETS + SETS", SETS, "names a set twice"),
    Mistake(
        "instances as a list",
        LOADED,
        "return [*load_set(name)]",
        LOAD,
        "not a tuple of dataclasses with a name and a reference",
    ),
    Mistake("no instances", LOADED, "load_set(name)", LOAD, "load() returned None"),
    Mistake(
        "another number of instances",
        "for number in range(16)",
        "for number in range(12)",
        LOAD,
        "load('design') returned 12 instances, and sets() says 16",
        "data.py",
    ),
    Mistake(
        "a set of any name",
        "    if name not in _FIRST_SEEDS:\n        raise UnknownName",
        "    if name == '':\n        raise UnknownName",
        DRAWN,
        "KeyError: 'no-such-set-of-instances'",
        "data.py",
    ),
    Mistake(
        "instances without a reference",
        "    reference: float | None = None\n",
        "",
        LOAD,
        "not a tuple of dataclasses with a name and a reference",
        "data.py",
    ),
    Mistake(
        "instances of one name",
        '_draw(f"{name}/{number}"',
        '_draw(f"{name}"',
        LOAD,
        "has a name twice",
        "data.py",
    ),
    Mistake(
        "equal instances to search on and to measure on",
        '"held-out": 2000',
        '"held-out": 1000',
        LOAD,
        "load gives 16 equal instances to sets with design=True and to sets without",
        "data.py",
    ),
    Mistake(
        "instances drawn without a seed",
        "rng = random.Random(seed)",
        "rng = random.Random()",
        LOAD,
        "load('design') returned other instances in a second process: draw them from random.Ra",
        "data.py",
    ),
    Mistake(
        "instances drawn from the hash of a name",
        "rng = random.Random(seed)",
        "rng = random.Random(hash(name))",
        LOAD,
        "load('design') returned other instances in a second process: draw them from random.Ra",
        "data.py",
    ),
    Mistake(
        "a selection set that is none",
        'selection: str = "selection"',
        'selection: str = "choice"',
        'selection: str = "choice"',
        "selection is 'choice', which is no set",
    ),
    Mistake("one seed", "return SEEDS", "return SEEDS[:1]", SEEDS, "there are at least two"),
    Mistake(
        "a seed without code",
        'code="def score(bin, state):\\n    return -bin.index\\n"',
        "solve=len",
        SEEDS,
        "first-fit has no idea or no code",
    ),
    Mistake(
        "a seed that is no Python",
        FIRST_FIT,
        "return -",
        SEEDS,
        "line 2 of first-fit is no Python",
    ),
    Mistake(
        "a seed of other arguments",
        'code="def score(bin, state):\\n    return -bin.index',
        'code="def score(state, bin):\\n    return -bin.index',
        SEEDS,
        "first-fit does not define score(bin, state)",
    ),
    Mistake(
        "a seed that divides by zero",
        FIRST_FIT,
        "return 1 / bin.index",
        SEEDS,
        "first-fit failed on instance design/0: ZeroDivisionError: division by zero",
    ),
    Mistake(
        "a seed that reads what is not there",
        FIRST_FIT,
        "return -bin.number",
        SEEDS,
        "has no attribute 'number'",
    ),
    Mistake(
        "a seed that returns text",
        FIRST_FIT,
        "return 'first'",
        SEEDS,
        "a score is a number, not str",
    ),
    Mistake("no first state", FIRST, "State(instance)", START, "start() returned None"),
    Mistake(
        "a first state that fails",
        FIRST,
        "return State(instance, instance.spaces)",
        "return State(instance, instance.spaces)",
        "'Instance' object has no attribute 'spaces' in start(); the seam says of start",
    ),
    Mistake("actions as a list", FITTING, "return [*fitting]", ACTIONS, "not a tuple of int"),
    Mistake(
        "actions as text",
        FITTING,
        "return (*map(str, fitting), '0')",
        ACTIONS,
        "not a tuple of int",
    ),
    Mistake(
        "actions that descend",
        FITTING,
        "return (len(state.spaces), *fitting)",
        ACTIONS,
        "which does not ascend",
    ),
    Mistake("nothing to do", FITTING, "return ()", ACTIONS, "there is nothing to decide"),
    Mistake(
        "actions that fail at the end",
        "        if state.placed == len(state.instance.sizes):\n            return ()\n",
        "",
        "size = state.instance.sizes[state.placed]",
        "IndexError: tuple index out of range in actions(); the seam says of actions: Feasible",
    ),
    Mistake("no decision", CHOICE, "max(scores)", DECIDE, "decide() returned None, not an int"),
    Mistake(
        "a decision that is not feasible",
        CHOICE,
        "return max(scores) + 1",
        DECIDE,
        "which is none of the feasible actions",
    ),
    Mistake(
        "a decision that fails",
        CHOICE,
        "return scores['best']",
        "return scores['best']",
        "KeyError: 'best' in decide()",
    ),
    Mistake(
        "answers that are not looked at",
        NUMBER,
        "        if False:\n            raise InvalidAction",
        "if not math.isfinite(score):",
        "TypeError: must be real number, not NoneType in _score(); the seam says of decide",
    ),
    Mistake(
        "scores that are not finite",
        "if not math.isfinite(score):",
        "if score is None:",
        DECIDE,
        "raised no InvalidAction for a program that returns nan",
    ),
    Mistake(
        "ties to the highest action",
        "(scores[action], -action)",
        "(scores[action], action)",
        DECIDE,
        "among equal scores, and ties go to the lowest action",
    ),
    Mistake(
        "a field that is not given",
        'Field("space", "size",',
        'Field("spase", "size",',
        DECIDE,
        "decide() gives a program no `bin.spase`, which the contract lists: AttributeError",
    ),
    Mistake(
        "a field that is not a number in some states",
        "        score = function(bin, ",
        "        bin.left = bin.left if state.placed < 30 else math.nan\n"
        "        score = function(bin, ",
        DECIDE,
        "decide() gives a program `bin.left` = nan, which is not finite (instance design/0)",
    ),
    Mistake("no numbers", NUMBERS, "pass", FIELDS, "fields() returned None, not finite numbers"),
    Mistake(
        "numbers that are text",
        NUMBERS,
        "return {'size': 'big'}",
        FIELDS,
        "fields() returned dict {'size': 'big'}, not finite numbers by name",
    ),
    Mistake("no next state", NEXT, "State(state.instance)", STEP, "step() returned None"),
    Mistake(
        "a next state that fails",
        NEXT,
        "return State(state.instance, spaces, state.position + 1)",
        "return State(state.instance, spaces, state.position + 1)",
        "'State' object has no attribute 'position' in step(); the seam says of step: The next",
    ),
    Mistake(
        "a state that is changed",
        NEXT,
        "object.__setattr__(state, 'spaces', spaces)\n        " + NEXT,
        STEP,
        "step() changed the state that it was given: a state is immutable",
    ),
    Mistake(
        "a state that is changed and returned",
        NEXT,
        "object.__setattr__(state, 'spaces', spaces)\n"
        "        object.__setattr__(state, 'placed', state.placed + 1)\n"
        "        return state",
        STEP,
        "step() changed the state that it was given: a state is immutable",
    ),
    Mistake(
        "a step that refuses an action that is allowed",
        REFUSAL,
        "        if action == len(state.spaces) or action not in self.actions(state):\n"
        "            raise InvalidAction",
        STEP,
        "step() refused action 0, which actions() allows: item 0 does not fit into bin 0",
    ),
    Mistake(
        "a step that refuses nothing",
        REFUSAL,
        REFUSED,
        "space = state.spaces[action] if action <",
        "IndexError: tuple index out of range in _describe_bin(); the seam says of step",
    ),
    Mistake(
        "a step that takes anything",
        REFUSAL,
        "        action = max(0, min(action, len(state.spaces)))\n" + REFUSED,
        STEP,
        "step() raised no InvalidAction for -1, which is not feasible in the first state",
    ),
    Mistake(
        "a random draw in a step",
        "left = _describe_bin(state, action)",
        "import random\n"
        "        dice = _describe_bin.__dict__.setdefault('dice', random.Random(0))\n"
        "        left = dice.randint(0, 9) + _describe_bin(state, action)",
        STEP,
        "step() refused the actions of",
    ),
    Mistake(
        "a state that does not travel",
        FIRST,
        "return type('Own', (State,), {})(instance)",
        START,
        "start() returned a state that cannot be pickled",
    ),
    Mistake(
        "a rule that is neither",
        'code="def score(bin, state):\\n    return -bin.left\\n"',
        "code=None",
        RULES,
        "best-fit has both code and solve, or neither",
    ),
    Mistake("no cost", COUNT, "len(state.spaces)", COST, "cost() returned None, not a finite"),
    Mistake("a cost of nan", COUNT, "return math.nan", COST, "cost() returned float nan, not a"),
    Mistake("a cost as text", COUNT, "return '22'", COST, "cost() returned '22', not a finite"),
    Mistake(
        "a cost by chance",
        COUNT,
        "import random\n        return random.random()",
        COST,
        "when they are replayed",
    ),
    Mistake(
        "a cost that fails",
        COUNT,
        "return len(state.spaces) / state.closed",
        "return len(state.spaces) / state.closed",
        "'State' object has no attribute 'closed' in cost(); the seam says of cost: Minimised",
    ),
    Mistake("no objective", "        return cost\n", "        cost\n", OBJECTIVE, "returned None"),
    Mistake("a picture as a list", PICTURE, "return bars", DRAW, "draw() returned list"),
    Mistake(
        "a picture that is too wide", "(CAPACITY - s) // 2)", "CAPACITY)", DRAW, "columns at most"
    ),
    Mistake(
        "a picture that fails",
        PICTURE,
        "return bars[99]",
        "return bars[99]",
        "IndexError: list index out of range in draw(); the seam says of draw: A small text",
    ),
    Mistake(
        "a solver that fails",
        'code="def score(bin, state):\\n    return -bin.left\\n"',
        "solve=lambda instance: instance.items",
        "solve=lambda instance: instance.items",
        "rule best-fit maps an instance to its actions",
    ),
    Mistake(
        "a call of itself without end",
        "        return cost\n",
        "        return self.objective(cost)\n",
        "        return self.objective(cost)",
        "RecursionError: maximum recursion depth exceeded",
    ),
    Mistake(
        "a walk without an end",
        "state.placed + 1)",
        "state.placed)",
        "",
        "calls of step(): does a walk end?",
    ),
    Mistake(
        "an endless loop in actions",
        "        size = state.instance.sizes[state.placed]\n",
        "        size = state.placed\n        while size is not None: pass\n",
        "while size is not None:",
        "stopped after 1 CPU seconds in actions()",
    ),
    Mistake(
        "an endless loop in the module",
        "BEST_FIT = Rule(",
        "while True: HALF = 1 / 2\nBEST_FIT = Rule(",
        "HALF = 1 / 2",
        "stopped after 1 CPU seconds",
    ),
)
"""Those that the contract suite finds."""
