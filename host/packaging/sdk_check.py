"""How `check.py` proves a package of an SDK: installs it, builds a new project against it, and runs the plugin's tests.

Compilers come from the machine and from `tests/setup.sh`; nothing is downloaded.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile

from crate import packaged
from facts import ROOT, facts
from sdk import FOLDER, contract, program

TESTS = ROOT / "tests"
NAME = "house-style"


def run(*command, fails=False, **options):
    environment = dict(os.environ)
    compilers = [TESTS / "node_modules/.bin", TESTS / ".venv/bin"]
    environment["PATH"] = os.pathsep.join([*map(str, compilers), environment["PATH"]])
    environment["CARGO_NET_OFFLINE"] = "true"
    done = subprocess.run(command, capture_output=True, text=True, env=environment, **options)
    told = f"`{' '.join(map(str, command))}` ended with {done.returncode}\n{done.stdout}{done.stderr}"
    if (done.returncode != 0) != fails:
        sys.exit(f"packages-check: {told}")
    return told


def made(pattern):
    found = sorted(FOLDER.glob(pattern))
    if len(found) != 1:
        sys.exit(f"packages-check: {FOLDER} has {len(found)} files {pattern}, expected one: run `make package-sdk`")
    return found[0]


def new(folder, *arguments):
    """A project against the published package: it has no copy of the SDK."""
    run(program(facts()), "plugin", "new", NAME, *arguments, cwd=folder)
    return folder / NAME


def works(project):
    """The plugin of a project passes its tests."""
    tamis = program(facts())
    run(tamis, "plugin", "build", cwd=project)
    run(tamis, "plugin", "test", f"{NAME}.wasm", cwd=project)
    run(tamis, "test", "filters.toml", cwd=project)


def refused(path, old, new_text, command, expected):
    """A source that does not follow the contract is refused, with the place."""
    text = path.read_text()
    if old not in text:
        sys.exit(f"packages-check: {path} has no `{old}` any more: change sdk_check.py")
    path.write_text(text.replace(old, new_text))
    told = run(*command, fails=True, cwd=path.parent)
    if expected not in told:
        sys.exit(f"packages-check: expected `{expected}` of {told}")
    path.write_text(text)


def sdk_crate(home):
    sdk = made("*.crate")
    needed = [path for path in packaged(FOLDER / "crate/target") if path.name != sdk.name]
    crates = [sdk, *needed]
    for package in crates:
        with tarfile.open(package) as packed:
            packed.extractall(home / "crates", filter="data")
    project = new(home, "--sdk", "published")
    if (project / "sdk").exists():
        sys.exit("packages-check: the project has a copy of the SDK")
    # In place of the registry, where they are not yet.
    patches = ["[patch.crates-io]"]
    for package in crates:
        folder = home / "crates" / package.stem
        patches.append(f"{package.stem.rsplit('-', 1)[0]} = {{ path = {json.dumps(str(folder))} }}")
    (project / ".cargo").mkdir()
    (project / ".cargo/config.toml").write_text("\n".join(patches) + "\n")
    run("cargo", "test", "--quiet", cwd=project)
    works(project)
    return "cargo build", [sdk]


def sdk_npm(home):
    package = made("*.tgz")
    run("npm", "init", "--yes", cwd=home)
    run("npm", "install", "--offline", "--no-audit", "--no-fund", package, cwd=home)
    project = new(home, "--lang", "ts", "--sdk", "published")
    if (project / "types").exists():
        sys.exit("packages-check: the project has a copy of the types")
    works(project)
    build = [program(facts()), "plugin", "build"]
    refused(project / "filter.ts", 'kind: "text", text: shorter', "text: shorter", build, "Property 'kind' is missing")
    return "npm install", [package]


def sdk_pypi(home):
    package = made("*.whl")
    project = new(home, "--lang", "python", "--sdk", "published")
    if (project / "typings").exists():
        sys.exit("packages-check: the project has a copy of the stubs")
    run("python3", "-m", "venv", project / ".venv")
    python = project / ".venv/bin/python"
    run(python, "-m", "pip", "install", "--no-index", "--find-links", package.parent, facts()["pypi-sdk"])
    mypy = ["mypy", "--python-executable", python]
    run(*mypy, cwd=project)
    refused(project / "app.py", "kind=DocumentKind.TEXT, ", "", mypy, 'Missing positional argument "kind"')
    works(project)
    return "pip install", [package]


def sdk_wit(home):
    """Other tools read the package, and a project builds against it in place of the text."""
    package = made("*.wasm")
    told = run("node", ROOT / "host/packaging/sdk/unpack.mjs", contract(facts()), package, cwd=home)
    for line in ("package tamis:filter@", "interface document {", "apply: func() -> result<verdict, filter-error>;"):
        if line not in told:
            sys.exit(f"packages-check: expected `{line}` of {told}")
    run(program(facts()), "plugin", "new", NAME, "--lang", "js", cwd=home)
    project = home / NAME
    shutil.rmtree(project / "wit/deps/tamis-filter")
    shutil.copy(package, project / "wit/deps/tamis-filter.wasm")
    works(project)
    return "wit/deps", [package]


CHECKS = {check.__name__.replace("_", "-"): check for check in (sdk_crate, sdk_npm, sdk_pypi, sdk_wit)}
