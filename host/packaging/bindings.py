#!/usr/bin/env python3
"""Writes the contract in the languages of plugins, from `wit/filter.wit`. Needs the tools of `tests/setup.sh`.

  bindings.py              into examples/plugins, where projects and packages take them from
  bindings.py --out DIR    into another folder: a test compares them

Those of Go and C also need wit-bindgen, which `tests/setup.sh` does not install, since it takes minutes to build.
"""

import argparse
import re
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
# Here, the package `wit` and the file `plugin/plugin.go` are written by hand.
GO = "go/bindings"
GO_MODULE = "keep-lines"
# Here, `types.c` is written by hand.
C = "c/bindings"
GENERATOR = "wit-bindgen-cli --version 0.61.1 --no-default-features --features go,c"
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


def c(folder, program):
    folder.mkdir(parents=True, exist_ok=True)
    run(program, "c", "--world", "plugin", "--no-object-file", "--out-dir", folder, CONTRACT)


def go(folder, program):
    """Packages with the names of the interfaces, which use the package `wit` of the example in place of a module that
    would have to be downloaded."""
    formatter = gofmt() or sys.exit("bindings: gofmt is missing: run `tests/setup.sh`")
    with tempfile.TemporaryDirectory() as made:
        run(program, "go", "--world", "plugin", "--format=false", "--out-dir", made, CONTRACT)
        for path in sorted(Path(made).rglob("*.go")):
            name = path.parent.name.removeprefix("tamis_filter_")
            is_export = path.name == "wit_exports.go"
            text = exports(path.read_text()) if is_export else path.read_text()
            place = folder / ("plugin/exports.go" if is_export else f"{name}/{name}.go")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(go_names(text))
            run(formatter, "-w", place)


def exports(text):
    """In the package `plugin`, whose functions it calls."""
    text = text.replace("package main\n", "package plugin\n")
    text = text.replace('"wit_component/export_tamis_filter_filter"\n', "")
    text = re.sub(r"export_tamis_filter_filter\.(\w)", lambda name: name[1].lower(), text)
    return re.sub(r"// Unused.*\nfunc main\(\) \{\}\n", "", text)


def go_names(text):
    text = re.sub(r'"wit_component/tamis_filter_(\w+)"', rf'"{GO_MODULE}/bindings/\1"', text)
    text = re.sub(r'"go\.bytecodealliance\.org/pkg/wit/\w+"', f'"{GO_MODULE}/bindings/wit"', text)
    text = re.sub(r"\btamis_filter_(\w+)(?=\.[A-Z])", r"\1", text)
    return re.sub(r"(?m)^package tamis_filter_(\w+)$", r"package \1", text)


def gofmt():
    """That of Go's own folder: the PyPI package of the tests has no command for it."""
    found = shutil.which("gofmt") or next((ROOT / "tests/.venv").glob("lib/python*/site-packages/go/bin/gofmt"), None)
    return found


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
    program = shutil.which("wit-bindgen")
    if not program:
        sys.exit("bindings: not written: Go and C, since wit-bindgen is not installed: cargo install " + GENERATOR)
    for write, place in ((go, GO), (c, C)):
        write(out / place, program)
        print(out / place)


if __name__ == "__main__":
    main()
