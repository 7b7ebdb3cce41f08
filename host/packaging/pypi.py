#!/usr/bin/env python3
"""Makes the wheel: maturin builds the program as `make dist` does, and puts it where pip and uv place commands.

  pypi.py             into target/packages/pypi: one .whl
"""

import shutil
import subprocess
import sys

from facts import OUT, ROOT, facts

# Names and version come from `host/Cargo.toml`, so this file is written for each build.
PROJECT = """\
[build-system]
requires = ["maturin>=1.9,<2"]
build-backend = "maturin"

[project]
name = "{pypi}"
version = "{version}"
description = "{description}"
readme = "README.md"
requires-python = ">=3.8"
license = "{license}"
license-files = ["LICENSE-MIT", "LICENSE-APACHE"]

[project.urls]
Homepage = "{homepage}"

[tool.maturin]
bindings = "bin"
manifest-path = "{manifest}"
profile = "dist"

# It names folders of the machine that builds: `make sbom` writes one without.
[tool.maturin.sbom]
rust = false
"""


def project(known):
    return PROJECT.format(**known, manifest=ROOT / "host/Cargo.toml")


def main():
    known = facts()
    if not shutil.which("maturin"):
        sys.exit("packaging: maturin is missing: python3 -m pip install maturin")
    folder = OUT / "pypi" / "project"
    shutil.rmtree(OUT / "pypi", ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "pyproject.toml").write_text(project(known))
    for name in ("README.md", "LICENSE-MIT", "LICENSE-APACHE"):
        shutil.copy(ROOT / name, folder)
    target = ["--target", known["target"]] if "/" + known["target"] + "/" in known["binary"] else []
    subprocess.run(
        # maturin reads the pyproject.toml of the folder where it runs.
        [ROOT / "host/packaging/dist.sh", "env", "--chdir", folder, "maturin", "build", "--locked"]
        + ["--profile", "dist", *target, "--out", OUT / "pypi"],
        check=True,
    )


if __name__ == "__main__":
    main()
