#!/usr/bin/env python3
"""Prints where the bytes of the released program are, and how long its starts take.

  sizes.py            the sections of target/dist/tamis, and the built-in filters in it; fails above 40 MB
  sizes.py --starts   medians of `--version` and of `hook` with the default policy; fails above 5 ms and 8 ms
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import crate
from facts import binary, facts

LIMIT_MB = 40
VERSION_LIMIT_MS = 5
HOOK_LIMIT_MS = 8
ROUNDS = 101
# Smaller sections are one row.
SMALL_BYTES = 300_000


def print_row(name, bytes_):
    print(f"{name:<52}{bytes_ / 1e6:>8.2f} MB")


def sizes(program):
    whole = program.stat().st_size
    listed = subprocess.run(["size", "-A", program], check=True, capture_output=True, text=True).stdout
    sections = {}
    for line in listed.splitlines()[2:]:
        name, *numbers = line.split() or ["Total"]
        # `.bss` takes memory and no file.
        if name not in ("Total", ".bss", ".tbss"):
            sections[name] = int(numbers[0])
    for name, bytes_ in sorted(sections.items(), key=lambda it: -it[1]):
        if bytes_ >= SMALL_BYTES:
            print_row(name, bytes_)
    print_row("other sections", whole - sum(it for it in sections.values() if it >= SMALL_BYTES))
    print_row(str(program), whole)
    folder = crate.out_folder()
    print("\nof the sections .rodata and .data.rel.ro, built-in filters:")
    is_packed = {path: path.read_bytes()[:4] == b"\x28\xb5\x2f\xfd" for path in folder.glob("*.code")}
    print_row("  machine code of the default policy, as it runs", total(path for path in is_packed if not is_packed[path]))
    print_row("  machine code of the others, compressed", total(path for path in is_packed if is_packed[path]))
    print_row("  components, compressed", total(folder.glob("*.wasm.zst")))
    if whole > LIMIT_MB * 1e6:
        sys.exit(f"sizes: {program} is larger than {LIMIT_MB} MB")


def total(paths):
    return sum(path.stat().st_size for path in paths)


def median_ms(command, given, environment):
    took = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        done = subprocess.run(command, input=given, capture_output=True, env=environment)
        took.append((time.perf_counter() - begun) * 1000)
        if done.returncode != 0:
            sys.exit(f"starts: {command} ended with {done.returncode}: {done.stderr.decode()}")
    return statistics.median(took), done.stdout


def starts(program):
    rows = [{"id": id, "name": f"customer {id}", "state": "open", "note": None} for id in range(40)]
    event = {"hook_event_name": "PostToolUse", "tool_use_id": "toolu_1", "tool_name": "Bash"}
    # As Claude Code writes it.
    event["transcript_path"] = "/home/dev/.claude/projects/app/00000000-0000-4000-8000-000000000000.jsonl"
    event["tool_input"] = {"command": "curl https://shop.example/orders"}
    event["tool_response"] = {"stdout": json.dumps(rows)}
    with tempfile.TemporaryDirectory() as home:
        environment = {"PATH": os.environ["PATH"], "HOME": home}
        nothing, _ = median_ms(["/bin/true"], b"", environment)
        version, _ = median_ms([program, "--version"], b"", environment)
        hook, answer = median_ms([program, "hook"], json.dumps(event).encode(), environment)
    if b"rows;" not in answer:
        sys.exit(f"starts: `hook` filtered nothing: {answer[:300]}")
    print(f"medians of {ROUNDS} starts:")
    print(f"{'/bin/true, to compare with':<52}{nothing:>8.1f} ms")
    print(f"{'--version':<52}{version:>8.1f} ms")
    print(f"{'hook, the default policy':<52}{hook:>8.1f} ms")
    if version > VERSION_LIMIT_MS or hook > HOOK_LIMIT_MS:
        sys.exit(f"starts: --version takes more than {VERSION_LIMIT_MS} ms, or hook more than {HOOK_LIMIT_MS} ms")


def main():
    program = binary(facts())
    starts(program) if "--starts" in sys.argv else sizes(program)


if __name__ == "__main__":
    main()
