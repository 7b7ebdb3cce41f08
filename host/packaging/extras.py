#!/usr/bin/env python3
"""Writes what a package has beside the program, by the program itself: manual pages and completions.

  extras.py           into target/packages/extras: man/, completions/
"""

import shutil
import subprocess

from facts import OUT, binary, facts

FILES = {"bash": "{}.bash", "zsh": "_{}", "fish": "{}.fish"}


def write():
    known = facts()
    program, name = binary(known), known["command"]
    folder = OUT / "extras"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "man").mkdir(parents=True)
    (folder / "completions").mkdir()
    subprocess.run([program, "man", folder / "man"], check=True)
    for shell, form in FILES.items():
        script = subprocess.run([program, "completions", shell], check=True, capture_output=True).stdout
        (folder / "completions" / form.format(name)).write_bytes(script)
    return folder


if __name__ == "__main__":
    print(write())
