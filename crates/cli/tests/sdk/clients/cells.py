"""What every client is tried on, and how it says what it showed. Arguments: address, dialect."""

import inspect
import json
import sys
from concurrent.futures import ThreadPoolExecutor

ORIGIN, FACE = sys.argv[1:3]
QUESTION = "Name three rivers of Portugal."
WEATHER = "What is the weather in Porto?"
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
SHAPE = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "people": {"type": "integer"}},
    "required": ["city", "people"],
    "additionalProperties": False,
}
STEP = {"type": "object", "properties": {"step": {"type": "integer"}}, "required": ["step"]}
LIMIT = 500


def compact(value):
    """JSON, the same however its members were spaced."""
    if isinstance(value, str):
        value = json.loads(value)
    return json.dumps(value, separators=(",", ":"))


def called(name, arguments):
    return f"{name} {compact(arguments)}"


def raised(error):
    """An error by the classes under which it can be caught, and its text."""
    builtin = (Exception, BaseException, object)
    classes = [kind.__name__ for kind in inspect.getmro(type(error)) if kind not in builtin]
    return f"raised {' < '.join(classes)}: {error}"


def tell(cell, shown):
    # In one piece: several may speak at once.
    sys.stdout.write(json.dumps({"cell": cell, "shown": shown}) + "\n")
    sys.stdout.flush()


def show(cell, attempt):
    """Tries a cell; a text instead of a function says why there is nothing to try."""
    if isinstance(attempt, str):
        return tell(cell, f"- {attempt}")
    try:
        shown = attempt()
    except Exception as error:  # whatever the client raises is what its user sees
        shown = raised(error)
    tell(cell, shown)


def run(cells):
    """Tries each cell after the other."""
    for cell, attempt in cells.items():
        show(cell, attempt)
    wait()


def run_together(cells, last):
    """Tries all cells at once, and then the last."""
    with ThreadPoolExecutor(len(cells)) as pool:
        list(pool.map(show, cells.keys(), cells.values()))
    show(*last)
    wait()


def wait():
    """Whoever counts connections does so while the client lives."""
    tell("end", "")
    sys.stdin.read()
