#!/usr/bin/env python3
"""The names of packages, their version, and the platforms: everything that the makers of packages share.

Owns no name itself: `[package.metadata.packages]` in `host/Cargo.toml` has them all.

  facts.py            prints all as JSON
  facts.py KEY        prints one value
"""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OUT = Path(os.environ.get("PACKAGES_OUT") or ROOT / "target" / "packages")


def read(path):
    import tomllib  # Python 3.11; scripts that get PACKAGES_FACTS do without

    return tomllib.loads((ROOT / path).read_text())


def git(*arguments):
    done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def commit():
    """The commit that is packaged; `-dirty` marks changes that are in none."""
    known = git("rev-parse", "--short=12", "HEAD")
    if not known:
        return "unknown"
    return known + ("-dirty" if git("status", "--porcelain", "--untracked-files=no") else "")


def host_target():
    told = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    return next(line.split(": ")[1] for line in told.splitlines() if line.startswith("host: "))


def facts():
    if "PACKAGES_FACTS" in os.environ:
        # In an environment without git and Rust.
        return json.loads(os.environ["PACKAGES_FACTS"])
    package = read("host/Cargo.toml")["package"]
    workspace = read("Cargo.toml")["workspace"]["package"]
    names = dict(package["metadata"]["packages"])
    platforms = names.pop("platform")
    target = os.environ.get("DIST_TARGET") or host_target()
    folder = Path("target") / (target if os.environ.get("DIST_TARGET") else "") / "dist"
    return {
        **names,
        "crate": package["name"],
        "crate-sdk": read("plugins/sdk/Cargo.toml")["package"]["name"],
        "description": package["description"],
        "version": workspace["version"],
        "license": workspace["license"],
        "commit": commit(),
        # Dates in packages: the same commit gives the same bytes.
        "epoch": int(os.environ.get("SOURCE_DATE_EPOCH") or git("log", "-1", "--format=%ct") or 0),
        "target": target,
        "binary": os.environ.get("DIST_BINARY") or str(ROOT / folder / names["command"]),
        "platforms": platforms,
    }


def platform(known):
    """The row of the platform that is packaged."""
    for row in known["platforms"]:
        if row["target"] == known["target"]:
            return row
    rows = ", ".join(row["target"] for row in known["platforms"])
    sys.exit(f"packaging: no platform {known['target']} in host/Cargo.toml: known are {rows}")


def binary(known):
    path = Path(known["binary"])
    if not path.is_file():
        sys.exit(f"packaging: {path} is missing: run `make dist`")
    return path


if __name__ == "__main__":
    known = facts()
    if len(sys.argv) > 1:
        print(known[sys.argv[1]])
    else:
        print(json.dumps(known, indent=2))
