#!/usr/bin/env python3
"""Packs the npm packages: a launcher, and the program for this platform. npm chooses the platform at install.

  npm.py              into target/packages/npm: two .tgz
"""

import json
import shutil
import stat
import subprocess
from pathlib import Path

from facts import OUT, ROOT, binary, facts, platform

HERE = Path(__file__).parent
LICENSES = ["LICENSE-MIT", "LICENSE-APACHE"]


def platform_name(known, row):
    libc = "-musl" if row.get("libc") == "musl" else ""
    return f"{known['npm-scope']}/{row['os']}-{row['cpu']}{libc}"


def common(known):
    return {
        "version": known["version"],
        "description": known["description"],
        "license": f"({known['license']})",
        "homepage": known["homepage"],
    }


def launcher_manifest(known):
    command = known["command"]
    return {
        "name": known["npm"],
        **common(known),
        "bin": {command: "launcher.js"},
        "files": ["launcher.js", "platforms.json", *LICENSES],
        "engines": {"node": ">=16"},
        "optionalDependencies": {platform_name(known, row): known["version"] for row in known["platforms"]},
    }


def platform_manifest(known, row):
    program = known["command"] + (".exe" if row["os"] == "win32" else "")
    manifest = {
        "name": platform_name(known, row),
        **common(known),
        "os": [row["os"]],
        "cpu": [row["cpu"]],
        "files": [f"bin/{program}", *LICENSES],
        # Yarn would otherwise keep it in an archive.
        "preferUnplugged": True,
    }
    if "libc" in row:
        manifest["libc"] = [row["libc"]]
    return manifest


def write(folder, manifest):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "package.json").write_text(json.dumps(manifest, indent=2) + "\n")
    for name in LICENSES:
        shutil.copy(ROOT / name, folder)


def launcher(known, folder):
    """Writes the launcher's package, which needs no program."""
    write(folder, launcher_manifest(known))
    shutil.copy(HERE / "npm" / "launcher.js", folder)
    page = (HERE / "npm" / "README.md").read_text()
    (folder / "README.md").write_text(page.replace("@NPM@", known["npm"]))
    rows = [
        {"package": platform_name(known, row), **{key: row[key] for key in ("os", "cpu", "libc") if key in row}}
        for row in known["platforms"]
    ]
    table = {"command": known["command"], "platforms": rows}
    (folder / "platforms.json").write_text(json.dumps(table, indent=2) + "\n")


def main():
    known = facts()
    row = platform(known)
    out = OUT / "npm"
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("*.tgz"):
        old.unlink()
    launcher(known, out / "launcher")
    folder = out / "platform"
    manifest = platform_manifest(known, row)
    write(folder, manifest)
    program = folder / manifest["files"][0]
    program.parent.mkdir()
    shutil.copy(binary(known), program)
    program.chmod(program.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    for package in ("launcher", "platform"):
        subprocess.run(
            ["npm", "pack", "--silent", "--pack-destination", out, out / package], check=True, cwd=out
        )


if __name__ == "__main__":
    main()
