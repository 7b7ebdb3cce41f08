#!/usr/bin/env python3
"""Makes the packages that projects of plugins depend on: the Rust SDK, the types for TypeScript, the stubs for Python, and
the contract as a WIT package.

  sdk.py [crate|npm|pypi|wit]...      into target/packages/sdk; default: all
"""

import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import bindings
import crate
import npm
from facts import OUT, ROOT, facts

HERE = Path(__file__).resolve().parent
FOLDER = OUT / "sdk"
LICENSES = ["LICENSE-MIT", "LICENSE-APACHE"]
EXAMPLES = ROOT / "examples/plugins"
# In the order in which they are published.
CRATES = ["host/document", "plugins/sdk"]
# The earliest time that a zip archive can hold: the same files give the same bytes.
ZIP_TIME = (1980, 1, 1, 0, 0, 0)


def page(name, known):
    text = (HERE / "sdk" / name).read_text()
    names = {"NPM": known["npm-sdk"], "PYPI": known["pypi-sdk"], "CRATE": known["crate-sdk"], "COMMAND": known["command"]}
    for key, value in names.items():
        text = text.replace(f"@{key}@", value)
    return text


def sdk_manifest(known):
    """That of the copies in projects (`sdk.toml`), which names all versions itself."""
    text = (ROOT / "host/src/authoring/project/sdk.toml").read_text()
    version = known["version"]
    fields = f'homepage = "{known["homepage"]}"\nreadme = "README.md"\n'
    for old, new in (
        ("{{version}}", version),
        ("publish = false\n", fields),
        ('path = "document"', f'path = "../../host/document", version = "{version}"'),
    ):
        if old not in text:
            sys.exit(f"packaging: sdk.toml has no `{old}` any more: change sdk.py")
        text = text.replace(old, new)
    return text + "\n[package.metadata.docs.rs]\nall-features = true\n"


def stage_crates(known):
    """A workspace of the two crates. That of documents is the one that is published with the program."""
    folder = FOLDER / "crate" / "stage"
    shutil.rmtree(folder, ignore_errors=True)
    document, sdk = (folder / name for name in CRATES)
    crate.copy("host/document", document)
    shutil.rmtree(document / "tests", ignore_errors=True)
    path = document / "Cargo.toml"
    path.write_text(crate.manifest(path.read_text(), known, False))
    shutil.copy(ROOT / "README.md", document)
    crate.copy("plugins/sdk/src", sdk / "src")
    (sdk / "Cargo.toml").write_text(sdk_manifest(known))
    (sdk / "README.md").write_text(page("crate.md", known))
    for member in (document, sdk):
        for name in LICENSES:
            shutil.copy(ROOT / name, member)
    (folder / "Cargo.toml").write_text(crate.root_manifest((ROOT / "Cargo.toml").read_text(), CRATES))
    # Of all crates, the versions that Tamis was built and tested with.
    shutil.copy(ROOT / "plugins/Cargo.lock", folder)
    return folder


def make_crate(known):
    folder = stage_crates(known)
    target = FOLDER / "crate" / "target"
    shutil.rmtree(target / "package", ignore_errors=True)
    # It builds what it packaged, outside of this repository.
    subprocess.run(
        ["cargo", "publish", "--dry-run", "--workspace", "--all-features", "--target-dir", target], check=True, cwd=folder
    )
    # The other crate is published with the program (`crate.py`).
    name = f"{known['crate-sdk']}-{known['version']}.crate"
    return [Path(shutil.copy(made, FOLDER)) for made in crate.packaged(target) if made.name == name]


def make_npm(known):
    folder = FOLDER / "npm"
    manifest = {
        "name": known["npm-sdk"],
        **npm.common(known),
        "description": "Types for filters of Tamis",
        "types": "plugin.d.ts",
        "files": ["plugin.d.ts", "interfaces", "filter.wit", *LICENSES],
    }
    npm.write(folder, manifest)
    shutil.copytree(EXAMPLES / bindings.TYPESCRIPT, folder, dirs_exist_ok=True)
    shutil.copy(ROOT / "wit/filter.wit", folder)
    (folder / "README.md").write_text(page("npm.md", known))
    told = subprocess.run(
        ["npm", "pack", "--silent", "--pack-destination", FOLDER, folder], check=True, cwd=FOLDER, capture_output=True, text=True
    )
    return [FOLDER / told.stdout.strip()]


def make_pypi(known):
    """A wheel: a zip archive with a list of its files. PEP 561 gives folders of stubs their names."""
    name = known["pypi-sdk"].replace("-", "_")
    version = known["version"]
    files = {}
    typings = EXAMPLES / bindings.PYTHON
    for path in sorted(typings.rglob("*.pyi")):
        parts = path.relative_to(typings).parts
        if len(parts) == 1:
            parts = (path.stem, "__init__.pyi")
        files["/".join((parts[0] + "-stubs", *parts[1:]))] = path.read_bytes()
    info = f"{name}-{version}.dist-info"
    metadata = f"""\
Metadata-Version: 2.4
Name: {known["pypi-sdk"]}
Version: {version}
Summary: Stubs for filters of Tamis
Home-page: {known["homepage"]}
License-Expression: {known["license"]}
{"".join(f"License-File: {file}" + chr(10) for file in LICENSES)}Requires-Python: >=3.10
Description-Content-Type: text/markdown

{page("pypi.md", known)}"""
    files[f"{info}/METADATA"] = metadata.encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: sdk.py\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    for file in LICENSES:
        files[f"{info}/licenses/{file}"] = (ROOT / file).read_bytes()
    rows = []
    for place, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        rows.append(f"{place},sha256={digest},{len(content)}\n")
    files[f"{info}/RECORD"] = "".join([*rows, f"{info}/RECORD,,\n"]).encode()
    wheel = FOLDER / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for place, content in files.items():
            entry = zipfile.ZipInfo(place, ZIP_TIME)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return [wheel]


def program(known):
    """The program that writes the contract: DIST_BINARY, else that of `make build`."""
    path = Path(os.environ.get("DIST_BINARY") or ROOT / "target/release" / known["command"])
    if not path.is_file():
        sys.exit(f"packaging: {path} is missing: run `make build`")
    return path


def contract(known):
    """The name of the contract, with its version."""
    told = subprocess.run([program(known), "--version"], check=True, capture_output=True, text=True).stdout
    return next(line.split()[1] for line in told.splitlines() if line.startswith("contract "))


def make_wit(known):
    path = FOLDER / (contract(known).replace(":", "-").replace("@", "-") + ".wasm")
    subprocess.run([program(known), "plugin", "wit", "--package", path], check=True, stdout=subprocess.DEVNULL)
    return [path]


MAKERS = {"crate": make_crate, "npm": make_npm, "pypi": make_pypi, "wit": make_wit}


def main():
    known = facts()
    kinds = sys.argv[1:] or list(MAKERS)
    unknown = [kind for kind in kinds if kind not in MAKERS]
    if unknown:
        sys.exit(f"packaging: unknown SDK {unknown[0]}: known are {', '.join(MAKERS)}")
    FOLDER.mkdir(parents=True, exist_ok=True)
    for kind in kinds:
        for made in MAKERS[kind](known):
            print(made)


if __name__ == "__main__":
    main()
