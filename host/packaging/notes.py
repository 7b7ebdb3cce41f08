#!/usr/bin/env python3
"""Prints the notes of a release: the section of CHANGELOG.md about that version.

  notes.py VERSION
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def notes(text, version):
    """The lines between the heading `## VERSION (DATE)` and the next one of its kind."""
    lines = text.splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith("## ")]
    for start in starts:
        if lines[start].split()[1:2] == [version]:
            if "unreleased" in lines[start]:
                sys.exit(f"notes.py: CHANGELOG.md calls {version} unreleased: write the date instead")
            end = next((number for number in starts if number > start), len(lines))
            return "\n".join(lines[start + 1 : end]).strip()
    known = ", ".join(lines[start].removeprefix("## ") for start in starts)
    sys.exit(f"notes.py: CHANGELOG.md has no section {version}; it has: {known}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    print(notes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), sys.argv[1]))
