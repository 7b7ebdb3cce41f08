#!/usr/bin/env python3
"""Makes the archive for this platform, and the installer that knows its digest.

  archive.py            into target/packages/archive: .tar.gz, SHA256SUMS, install.sh
  archive.py --collect  only SHA256SUMS and install.sh, for the archives of all platforms that are there
"""

import gzip
import hashlib
import io
import sys
import tarfile
from pathlib import Path

import extras
from facts import OUT, ROOT, binary, facts

HERE = Path(__file__).parent
DOCUMENTS = ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md", "SECURITY.md"]


def name(known):
    return f"{known['archive']}-{known['version']}-{known['target']}"


def members(known):
    """Paths in the archive, and the files that are put there."""
    program = binary(known)
    yield known["command"], program, 0o755
    for document in DOCUMENTS:
        yield document, ROOT / document, 0o644
    folder = extras.write()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield str(path.relative_to(folder)), path, 0o644


def write(known, path):
    """The same files give the same bytes: no owner, no time but the commit's."""
    bytes_ = io.BytesIO()
    with tarfile.open(fileobj=bytes_, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for place, source, mode in members(known):
            entry = tarfile.TarInfo(f"{name(known)}/{place}")
            content = source.read_bytes()
            entry.size, entry.mode, entry.mtime = len(content), mode, known["epoch"]
            archive.addfile(entry, io.BytesIO(content))
    with path.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=known["epoch"]) as packed:
        packed.write(bytes_.getvalue())


def installer(known, digests):
    """The installer of this version: it takes these archives and no others."""
    text = (HERE / "install.sh").read_text()
    lines = "\n".join(f"{digest}  {file}" for file, digest in sorted(digests.items()))
    values = {
        "@COMMAND@": known["command"],
        "@ARCHIVE@": known["archive"],
        "@VERSION@": known["version"],
        "@DOWNLOADS@": known["downloads"],
        "@DIGESTS@": lines,
    }
    for placeholder, value in values.items():
        text = text.replace(placeholder, value)
    return text


def main():
    known = facts()
    out = OUT / "archive"
    out.mkdir(parents=True, exist_ok=True)
    if "--collect" not in sys.argv[1:]:
        write(known, out / f"{name(known)}.tar.gz")
    prefix = f"{known['archive']}-{known['version']}-"
    # Also those that other machines built.
    archives = sorted(path for path in out.glob("*.tar.gz") if path.name.startswith(prefix))
    if not archives:
        sys.exit(f"packaging: {out} has no archive of {known['archive']} {known['version']}")
    digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in archives}
    script = out / "install.sh"
    script.write_text(installer(known, digests))
    script.chmod(0o755)
    digests["install.sh"] = hashlib.sha256(script.read_bytes()).hexdigest()
    (out / "SHA256SUMS").write_text("".join(f"{digest}  {file}\n" for file, digest in digests.items()))


if __name__ == "__main__":
    main()
