#!/usr/bin/env python3
"""Packages the crates as they are published: the program with its prebuilt filters, and the three crates that it uses.

  crate.py            into target/packages/crate: four .crate, after `cargo publish --dry-run`
  crate.py --stage    only writes the sources that are packaged, into target/packages/crate/stage

The repository's folders are two workspaces, and the program includes files outside of its folder. So the crates are
packaged from a copy that is one workspace, in which `host/prebuilt` has those files: `host/build.rs` reads them there.
PREBUILT_FROM=FOLDER names the output folder of a build of `host/build.rs`, in place of that of `make dist`.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from facts import OUT, ROOT, facts

# In the order in which they are published.
CRATES = ["host/document", "plugins/formats", "plugins/rows", "host"]
# Tests and benchmarks stay in the repository, and so does what only they need.
LEFT_OUT = {"[dev-dependencies]", "[[bench]]", "[[test]]"}
# Files that the program includes, or copies into the projects of plugins.
PREBUILT = ["wit", "plugins/sdk/src", "host/document/src", "examples/plugins"]
BINDINGS = "host/src/sandbox/bindings.rs"


def sections(text):
    """A manifest as its sections, each with its heading."""
    return re.split(r"(?m)^(?=\[)", text)


def manifest(text, known, is_program):
    kept = [part for part in sections(text) if part.split("\n", 1)[0].strip() not in LEFT_OUT]
    text = "".join(kept)
    fields = f'homepage = "{known["homepage"]}"\nreadme = "README.md"\n'
    if is_program:
        # Features are chosen as in the repository, see Cargo.toml there.
        fields += 'resolver = "1"\n'
    text = text.replace("publish.workspace = true\n", fields)
    if is_program:
        text = text.rstrip() + "\n\n" + profiles()
    return text


def profiles():
    """`cargo install` builds with the profile `release`: that of the published crate is the repository's `dist`."""
    found = []
    for part in sections((ROOT / "Cargo.toml").read_text()):
        heading = part.split("\n", 1)[0].strip()
        if heading.startswith("[profile.dist"):
            part = part.replace("[profile.dist", "[profile.release")
            # `release` inherits from no other. `dist` sets all that it has from `dev`.
            found.append(re.sub(r"(?m)^(#|inherits = ).*\n", "", part))
    return "".join(found) + '[profile.dist]\ninherits = "release"\n'


def root_manifest(text, crates=CRATES):
    members = ", ".join(f'"{folder}"' for folder in crates)
    kept = []
    for part in sections(text):
        heading = part.split("\n", 1)[0].strip()
        if heading == "[workspace]":
            kept.append(f'[workspace]\nresolver = "1"\nmembers = [{members}]\n\n')
        elif heading.startswith("[workspace."):
            kept.append(part.replace("publish = false\n", ""))
    return "".join(kept)


def out_folder():
    """The folder into which `host/build.rs` wrote the components."""
    if os.environ.get("PREBUILT_FROM"):
        return Path(os.environ["PREBUILT_FROM"])
    command = [ROOT / "host/packaging/dist.sh", "cargo", "build", "--profile", "dist", "--locked", "--quiet"]
    command += ["--manifest-path", "host/Cargo.toml", "--message-format", "json"]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for line in told.splitlines():
        message = json.loads(line)
        if message.get("reason") == "build-script-executed" and "host#" in message["package_id"]:
            return Path(message["out_dir"])
    sys.exit("packaging: cargo does not say where host/build.rs wrote the filters")


def copy(source, place):
    """Copies what git knows of a folder: no builds, no editors' files."""
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "--", source], check=True, capture_output=True, text=True
    ).stdout
    for name in listed.splitlines():
        if not (ROOT / name).is_file():
            continue
        path = place / Path(name).relative_to(source)
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, path)


def prebuild(known, folder):
    for source in PREBUILT:
        copy(source, folder / source)
    (folder / "commit").write_text(known["commit"] + "\n")
    components = folder / "components"
    components.mkdir()
    built = out_folder()
    for wasm in sorted(built.glob("*.wasm")):
        name = wasm.stem
        shutil.copy(wasm, components)
        plugin = ROOT / "plugins" / name
        (folder / "plugins" / name).mkdir(parents=True, exist_ok=True)
        for file in ("Cargo.toml", "settings.schema.json"):
            if (plugin / file).is_file():
                shutil.copy(plugin / file, folder / "plugins" / name)
    if not any(components.iterdir()):
        sys.exit(f"packaging: no components in {built}: run `make dist`")
    # cargo leaves out folders that have a manifest, and names that begin with a dot. `host/build.rs` undoes this.
    for path in [*folder.rglob("Cargo.toml"), *folder.rglob(".*")]:
        path.rename(path.with_name(f"prebuilt-{path.name}"))


def stage(known):
    folder = OUT / "crate" / "stage"
    shutil.rmtree(folder, ignore_errors=True)
    for source in CRATES:
        if source != "host":
            copy(source, folder / source)
    copy("host", folder / "host")
    for left_out in ("host/benches", "host/packaging", "plugins/formats/tests", "plugins/rows/tests"):
        shutil.rmtree(folder / left_out, ignore_errors=True)
    for bench in folder.glob("*/*/benches"):
        shutil.rmtree(bench)
    shutil.rmtree(folder / "host/document/tests", ignore_errors=True)
    for source in CRATES:
        path = folder / source / "Cargo.toml"
        path.write_text(manifest(path.read_text(), known, source == "host"))
        if not (folder / source / "README.md").exists():
            shutil.copy(ROOT / "README.md", folder / source)
        for name in ("LICENSE-MIT", "LICENSE-APACHE"):
            shutil.copy(ROOT / name, folder / source)
    (folder / "Cargo.toml").write_text(root_manifest((ROOT / "Cargo.toml").read_text()))
    shutil.copy(ROOT / "Cargo.lock", folder)
    prebuild(known, folder / "host/prebuilt")
    bindings = (folder / BINDINGS).read_text()
    changed = bindings.replace('path: "../wit"', 'path: "prebuilt/wit"')
    if changed == bindings:
        sys.exit(f"packaging: {BINDINGS} does not read ../wit any more: change crate.py")
    (folder / BINDINGS).write_text(changed)
    return folder


def packaged(target):
    """The crates that `cargo publish --dry-run` made. Where it puts them differs by version."""
    found = {path.name: path for path in sorted((target / "package").rglob("*.crate"))}
    return [found[name] for name in sorted(found)]


def main():
    known = facts()
    folder = stage(known)
    if "--stage" in sys.argv:
        print(folder)
        return
    target = OUT / "crate" / "target"
    shutil.rmtree(target / "package", ignore_errors=True)
    # Not verified here: `packaging/check.sh` builds and runs what is packaged, with a profile that is already compiled.
    command = ["cargo", "publish", "--dry-run", "--no-verify", "--workspace", "--target-dir", target]
    subprocess.run(command, check=True, cwd=folder)
    for crate in packaged(target):
        shutil.copy(crate, OUT / "crate")
        print(OUT / "crate" / crate.name)


if __name__ == "__main__":
    main()
