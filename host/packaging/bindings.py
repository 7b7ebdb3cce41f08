#!/usr/bin/env python3
"""Writes the contract in the languages of plugins, from `wit/filter.wit`. Needs the tools of `tests/setup.sh`.

  bindings.py              into examples/plugins, where projects and packages take them from
  bindings.py --out DIR    into another folder: a test compares them
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from facts import ROOT

HERE = Path(__file__).resolve().parent
CONTRACT = ROOT / "wit"
# In these folders of `examples/plugins` nothing is written by hand.
TYPESCRIPT = "ts/types"
PYTHON = "python/typings"
# The generated modules that an author imports. The others are for componentize-py itself.
PYTHON_MODULES = ["wit_world", "componentize_py_types.py"]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"bindings: `{' '.join(map(str, command))}` failed:\n{done.stdout}{done.stderr}")


def typescript(folder):
    run("node", HERE / "sdk/types.mjs", CONTRACT / "filter.wit", folder)


def python(folder):
    """Stubs of the modules that componentize-py writes into a plugin."""
    program = ROOT / "tests/.venv/bin/componentize-py"
    with tempfile.TemporaryDirectory() as made:
        run(program, "--wit-path", CONTRACT, "--world", "plugin", "bindings", made)
        made = Path(made)
        for name in PYTHON_MODULES:
            found = [made / name] if name.endswith(".py") else sorted((made / name).rglob("*.py"))
            for module in found:
                path = folder / module.relative_to(made).with_suffix(".pyi")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(stub(module.read_text()))


def stub(module):
    """A stub has no bodies, and no spaces at ends of lines."""
    lines = [line.rstrip().replace("raise NotImplementedError", "...") for line in module.splitlines()]
    return "\n".join(lines).rstrip("\n") + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "examples/plugins")
    out = parser.parse_args().out
    for write, place in ((typescript, TYPESCRIPT), (python, PYTHON)):
        folder = out / place
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        write(folder)
        print(folder)


if __name__ == "__main__":
    main()
