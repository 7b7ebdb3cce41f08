"""`keep-lines`: keeps the first lines of a long text, and adds a line with the number of omitted ones."""

# All imports are here: modules are loaded when the plugin is built.
import functools
import json
from typing import Any, Callable, ParamSpec, TypeVar

from componentize_py_types import Err
from wit_world import exports
from wit_world.exports.filter import Configured
from wit_world.imports import document, panic
from wit_world.imports.document import DocumentKind
from wit_world.imports.types import (
    Description,
    Fidelity,
    Growth,
    Rewrite,
    Verdict,
    Verdict_Rewritten,
    Verdict_Unchanged,
)

DEFAULT_LINES = 20

# The settings, as JSON Schema.
SETTINGS: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
        "max-lines": {
            "type": "integer",
            "minimum": 2,
            "default": DEFAULT_LINES,
            "description": "Maximum number of lines that stay, including the line about the rest.",
        }
    },
    "additionalProperties": False,
}


Given = ParamSpec("Given")
Answer = TypeVar("Answer")


def or_say(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """Reports the message and position of an unexpected exception: the call then counts as crashed. `Err` is a refusal,
    with a message for the operator."""

    @functools.wraps(function)
    def said(*given: Given.args, **named: Given.kwargs) -> Answer:
        try:
            answer = function(*given, **named)
            if answer is None or isinstance(answer, str):
                raise TypeError(f"{function.__name__} answered {answer!r}, which is none of the contract's types")
            return answer
        except Err:
            raise
        except Exception as error:
            words = f"{type(error).__name__}: {error}"
            # (The module `traceback` would look for the source in a file.)
            place = error.__traceback__
            while place and place.tb_next:
                place = place.tb_next
            if place:
                code = place.tb_frame.f_code
                words += f", in {code.co_name}, line {place.tb_lineno} of {code.co_filename}"
            panic.say(words)
            raise Err(words) from error

    return said


class Filter(exports.Filter):
    # Set by `configure`. Each document gets a fresh instance, so values that `apply` sets do not reach the next call. The
    # interface `session` of the contract stores values for later calls.
    max_lines = DEFAULT_LINES

    def describe(self) -> Description:
        return Description(
            name="keep-lines",
            version="0.1.0",
            summary="keeps the first lines of a long text",
            settings=json.dumps(SETTINGS),
            # The filter cuts content, so Tamis stores the original and tells the model how to read it.
            fidelity=Fidelity.PARTIAL,
            wants=[],
            idempotent=True,
            growth=Growth.NONE,
            snapshot=False,
            more=[],
        )

    @or_say
    def configure(self, settings: str) -> Configured:
        given = json.loads(settings)
        for key in given:
            if key not in SETTINGS["properties"]:
                raise Err(f"unknown key `{key}`, expected `max-lines`")
        lines = given.get("max-lines", DEFAULT_LINES)
        if not isinstance(lines, int) or isinstance(lines, bool) or lines < 2:
            raise Err(f"`max-lines` is {json.dumps(lines)}: a number from 2 on is allowed, one line of it for what is left out")
        Filter.max_lines = lines
        return Configured(triggers=[], fidelity=Fidelity.PARTIAL, legend="", more=[])

    @or_say
    def apply(self) -> Verdict:
        if document.kind() != DocumentKind.TEXT:
            return Verdict_Unchanged()
        text = document.text()
        lines = text.split("\n")
        # No line follows the last line break.
        total = len(lines) - (lines[-1] == "")
        if total <= Filter.max_lines:
            return Verdict_Unchanged()
        kept = Filter.max_lines - 1
        shorter = "\n".join(lines[:kept]) + f"\n[{total - kept} more lines]\n"
        if len(shorter.encode()) >= len(text.encode()):
            return Verdict_Unchanged()
        return Verdict_Rewritten(Rewrite(kind=DocumentKind.TEXT, text=shorter))
