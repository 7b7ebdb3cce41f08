#!/usr/bin/env python3
"""Installs each package that was made into a clean environment without a network, and filters a real result with it.

  check.py [npm|npx|pip|uvx|deb|archive|container|crate]...     default: all but crate, which compiles for minutes
  check.py [sdk-crate|sdk-npm|sdk-pypi|sdk-wit]...              builds a plugin against it, and runs its tests

Prints a table: the package, the command, the size, and the seconds from nothing to a filtered result. A clean
environment is a network without interfaces, an empty home, and no variables but PATH. Needs root (or user namespaces),
and the servers of `tests/setup.sh`.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import sdk_check
from facts import OUT, ROOT, facts
from first_result import compare, first_result, served, text

HERE = Path(__file__).resolve().parent
KNOWN = facts()
COMMAND = KNOWN["command"]
PATIENCE_SECONDS = 30


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        told = " ".join(map(str, command))
        sys.exit(f"packages-check: `{told}` ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def made(kind, pattern):
    found = sorted((OUT / kind).glob(pattern))
    if not found:
        sys.exit(f"packages-check: target/packages/{kind} has no {pattern}: run `make package-{kind}`")
    return found


def version_is_right(*program):
    """The first line is for people, the others say from what it was made."""
    told = run(*program, "--version").splitlines()
    expected = f"{COMMAND} {KNOWN['version']}"
    if told[0] != expected or not any(line.startswith("commit ") for line in told):
        sys.exit(f"packages-check: --version says {told}, expected {expected} and a commit")


def npm(home):
    packages = made("npm", "*.tgz")
    app = home / "app"
    app.mkdir()
    run("npm", "init", "--yes", cwd=app)
    run("npm", "install", "--offline", "--no-audit", "--no-fund", *packages, cwd=app)
    program = app / "node_modules/.bin" / COMMAND
    first_result("node", [program])
    version_is_right(program)
    return "npm install", packages


def npx(home):
    packages = made("npm", "*.tgz")
    given = [f"--package={package}" for package in packages]
    first_result("node", ["npx", "--yes", "--offline", *given, "--", COMMAND])
    return f"npx {KNOWN['npm']}", packages


def pip(home):
    wheel = made("pypi", "*.whl")
    run("python3", "-m", "venv", home / "venv")
    bin = home / "venv/bin"
    run(bin / "pip", "install", "--no-index", "--find-links", wheel[0].parent, KNOWN["pypi"])
    first_result("python", [bin / COMMAND])
    version_is_right(bin / COMMAND)
    run(bin / "pip", "uninstall", "--yes", KNOWN["pypi"])
    if (bin / COMMAND).exists():
        sys.exit("packages-check: pip uninstall leaves the program")
    return "pip install", wheel


def uvx(home):
    wheel = made("pypi", "*.whl")
    uvx = shutil.which("uvx") or sys.exit("packages-check: uvx is missing: python3 -m pip install uv")
    links = ["--offline", "--no-index", "--find-links", wheel[0].parent]
    first_result("python", [uvx, *links, "--from", KNOWN["pypi"], COMMAND])
    return f"uvx {KNOWN['pypi']}", wheel


def deb(home):
    """Into a copy of this system that lies over it, so that nothing stays."""
    package = made("deb", "*.deb")
    upper, root = home / "upper", home / "root"
    for folder in (upper, root):
        folder.mkdir()
    run("mount", "-t", "tmpfs", "tmpfs", upper)
    for folder in ("files", "work"):
        (upper / folder).mkdir()
    run("mount", "-t", "overlay", "overlay", "-o", f"lowerdir=/,upperdir={upper}/files,workdir={upper}/work", root)
    # The folder of the package and of the tests may lie in another file system than /.
    for shared in ("/proc", "/dev", str(ROOT), "/tmp"):
        (root / shared[1:]).mkdir(parents=True, exist_ok=True)
        run("mount", "--rbind", shared, root / shared[1:])
    inside = ["chroot", root]
    run(*inside, "dpkg", "--install", package[0])
    first_result("node", [*inside, f"/usr/bin/{COMMAND}"])
    version_is_right(*inside, f"/usr/bin/{COMMAND}")
    for file in (f"share/man/man1/{COMMAND}.1.gz", f"share/bash-completion/completions/{COMMAND}"):
        if not (root / "usr" / file).exists():
            sys.exit(f"packages-check: the Debian package has no {file}")
    run(*inside, "dpkg", "--purge", KNOWN["crate"])
    if (root / "usr/bin" / COMMAND).exists():
        sys.exit("packages-check: dpkg --purge leaves the program")
    return "dpkg --install", package


def archive(home):
    folder = OUT / "archive"
    archives = made("archive", f"*{KNOWN['target']}.tar.gz")
    run("sh", folder / "install.sh", "--from", folder)
    program = home / ".local/bin" / COMMAND
    first_result("node", [program])
    version_is_right(program)
    run("sh", folder / "install.sh", "--remove")
    left = [path for path in (home / ".local").rglob("*") if path.is_file() and COMMAND in path.name]
    left = [path for path in left if "state" not in path.parts]
    if left:
        sys.exit(f"packages-check: install.sh --remove leaves {left}")
    return "sh install.sh", archives


@contextmanager
def serving(command, **options):
    """A server until the end of the block, and its URL."""
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    try:
        said = []
        for line in server.stdout:
            said.append(line)
            if "http://" in line:
                yield line.split("http://")[1].split()[0]
                return
        sys.exit(f"packages-check: {command} does not serve: {''.join(said)}")
    finally:
        server.terminate()
        server.wait(timeout=PATIENCE_SECONDS)


def unpack(image, folder, root):
    """The files of an image in the form of OCI, as its layers have them. Returns its user."""

    def blob(digest):
        return folder / "blobs" / digest.replace(":", "/")

    def read(file):
        return json.loads(file.read_text())

    with tarfile.open(image) as packed:
        packed.extractall(folder, filter="data")
    manifest = read(blob(read(folder / "index.json")["manifests"][0]["digest"]))
    root.mkdir()
    for layer in manifest["layers"]:
        run("tar", "--extract", "--file", blob(layer["digest"]), "--directory", root)
    return read(blob(manifest["config"]["digest"]))["config"].get("User", "")


def container(home):
    """The image's own files as its root, and its user; the program then serves a real server over HTTP."""
    root = home / "root"
    image = OUT / "container/image.tar"
    if image.exists():
        user = unpack(image, home / "image", root)
    else:
        # Where no builder is installed.
        rootfs = made("container", "rootfs")[0]
        shutil.copytree(rootfs, root, symlinks=True)
        (root / "state").mkdir()
        os.chown(root / "state", 65532, 65532)
        image, user = rootfs, "65532:65532"
    if user.split(":")[0] in ("", "0", "root"):
        sys.exit("packages-check: the image runs as root")
    run("mount", "-t", "proc", "proc", root / "proc")
    run("ip", "link", "set", "lo", "up")
    program = KNOWN["binary"]
    given = home / "given"
    given.mkdir()
    server, tool, arguments = served("node", given)
    upstream = home / "upstream.toml"
    upstream.write_text(f"[server.files]\ncommand = {json.dumps(server)}\n")
    with serving([program, "serve", "--config", upstream, "--listen", "127.0.0.1:0"]) as address:
        policy = (ROOT / "host/src/cli/default.toml").read_text()
        policy += f'\n[server.files]\nurl = "http://{address}/files/mcp"\n'
        (root / "etc" / COMMAND / "filters.toml").write_text(policy)
        command = [shutil.which("chroot"), f"--userspec={user}", root, f"/usr/bin/{COMMAND}", "serve"]
        command += ["--config", f"/etc/{COMMAND}/filters.toml", "--listen", "127.0.0.1:0"]
        state = {"HOME": "/state", "TAMIS_STATE_DIR": "/state", "XDG_CACHE_HOME": "/state/cache"}
        with serving(command, env=state) as filtering:
            filtered = text([program, "connect", f"http://{filtering}/files/mcp"], tool, arguments)
    compare(text(server, tool, arguments), filtered)
    return f"{COMMAND} serve", [image]


def crate(home):
    """`cargo install` of the packaged crates. The other three stand in for the registry, where they are not yet."""
    crates = made("crate", "*.crate")
    for package in crates:
        with tarfile.open(package) as packed:
            packed.extractall(home, filter="data")
    # Files of packages have one date. Cargo would take what it compiled of another package for this one.
    for path in home.rglob("*"):
        path.touch()
    # Longer names first: each of the others begins with that of the program.
    folders = {path.name.rsplit("-", 1)[0]: path for path in home.iterdir() if (path / "Cargo.toml").is_file()}
    program = folders.pop(KNOWN["crate"])
    patches = []
    for name, folder in folders.items():
        patches += ["--config", f'patch.crates-io.{name}.path="{folder}"']
    # What `make dist` compiled is the same, so it is used again. WebAssembly's targets must not be needed.
    command = ["cargo", "install", "--offline", "--profile", "dist", "--path", program, "--root", home / "installed"]
    run(HERE / "dist.sh", *command, *patches, cwd=home)
    installed = home / "installed/bin" / COMMAND
    first_result("node", [installed])
    version_is_right(installed)
    return "cargo install", crates


CHECKS = {check.__name__: check for check in (npm, npx, pip, uvx, deb, archive, container, crate)}
CHECKS |= sdk_check.CHECKS


def one(name):
    """Runs in the clean environment."""
    begun = time.monotonic()
    command, files = CHECKS[name](Path(os.environ["HOME"]))
    seconds = time.monotonic() - begun
    sizes = [file.stat().st_size if file.is_file() else folder_bytes(file) for file in files]
    print(json.dumps({"command": command, "bytes": sum(sizes), "seconds": seconds}))


def folder_bytes(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def main():
    names = sys.argv[1:] or [name for name in CHECKS if name != "crate"]
    unknown = [name for name in names if name not in CHECKS]
    if unknown:
        sys.exit(f"packages-check: unknown package {unknown[0]}: known are {', '.join(CHECKS)}")
    if not (ROOT / "tests/node_modules/.stamp").exists():
        sys.exit("packages-check: the real servers are missing: run `tests/setup.sh`")
    print(f"{'package':<12}{'command':<18}{'size':>10}{'seconds from nothing to a filtered result':>44}")
    for name in names:
        home = Path(tempfile.mkdtemp(prefix=f"packages-{name}-"))
        try:
            environment = {"PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": "C.UTF-8"}
            environment["PACKAGES_FACTS"] = json.dumps(KNOWN)
            if name in sdk_check.CHECKS:
                environment["DIST_BINARY"] = str(sdk_check.program(KNOWN))
            if name in ("crate", "sdk-crate"):
                own = Path.home()
                environment["CARGO_HOME"] = os.environ.get("CARGO_HOME", str(own / ".cargo"))
                environment["RUSTUP_HOME"] = os.environ.get("RUSTUP_HOME", str(own / ".rustup"))
            user = [] if os.geteuid() == 0 else ["--map-root-user"]
            command = ["unshare", "--net", "--mount", *user, sys.executable, HERE / "check.py", "--one", name]
            told = json.loads(run(*command, cwd=home, env=environment).splitlines()[-1])
        finally:
            shutil.rmtree(home, ignore_errors=True)
        row = f"{name:<12}{told['command']:<18}{told['bytes'] / 1e6:>7.1f} MB"
        print(f"{row}{told['seconds']:>44.1f}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one(sys.argv[2])
    else:
        main()
