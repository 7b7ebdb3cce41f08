#!/usr/bin/env python3
"""Makes a site of the pages of this repository, with search, and checks every link between them.

    docs/site/build.py        # writes target/site/html/VERSION/, and target/site/html/index.html, which leads there

The pages are the README and every page and file that can be reached from it by links; the README is the first page. Sphinx is installed
into target/site/venv, from requirements.txt. Each version has a folder of its own, so one site can have several.

Exits with 1 if a link leads nowhere, to a file or to a heading, or if a page in docs/ cannot be reached.
"""

import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
OUT = ROOT / "target" / "site"
PAGES = OUT / "pages"

# A link of Markdown to a file of the repository: its text, its path, and its heading.
LINK = re.compile(r"(?<!!)\[([^\]\n]*)\]\(([^)\s#:]+)(#[^)\s]*)?\)")
IMAGE = re.compile(r"""(?:!\[[^\]\n]*\]\(|<img [^>]*src="|srcset=")([^)"\s:#]+)""")
FENCE = re.compile(r"^ *(```|~~~)")


def version() -> str:
    """The version of the workspace."""
    text = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    found = re.search(r'^version = "([^"]+)"', text, re.MULTILINE)
    if not found:
        sys.exit("build.py: Cargo.toml has no version")
    return found.group(1)


def outside_of_fences(text: str):
    """The lines of a page, each with whether it is part of an example."""
    fence = None
    for line in text.splitlines(keepends=True):
        mark = FENCE.match(line)
        if fence is None and mark:
            fence = mark.group(1)
            yield line, True
        elif fence is not None:
            if mark and mark.group(1) == fence:
                fence = None
            yield line, True
        else:
            yield line, False


class Gathering:
    """Copies the README and what it leads to."""

    def __init__(self):
        self.pages: list[Path] = []
        self.wrong: list[str] = []
        self.open = [ROOT / "README.md"]
        self.seen = set(self.open)

    def all(self):
        while self.open:
            self.take(self.open.pop(0))

    def take(self, source: Path):
        place = source.relative_to(ROOT)
        copy = PAGES / place
        copy.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix != ".md":
            shutil.copyfile(source, copy)
            return
        self.pages.append(place)
        lines = []
        for line, is_example in outside_of_fences(source.read_text(encoding="utf-8")):
            if not is_example:
                for path in IMAGE.findall(line):
                    self.follow(source, path)
                line = LINK.sub(lambda link: self.link(source, link), line)
            lines.append(line)
        copy.write_text("".join(lines), encoding="utf-8")

    def follow(self, page: Path, path: str) -> "Path | None":
        """The file that a path on a page leads to. None: nothing, or nothing of the repository."""
        target = Path(os.path.normpath(page.parent / path))
        if not target.is_relative_to(ROOT) or not target.exists():
            self.wrong.append(f"{page.relative_to(ROOT)}: {path} leads nowhere")
            return None
        if target.is_dir():
            target = target / "README.md"
            if not target.exists():
                return None
        if target not in self.seen:
            self.seen.add(target)
            self.open.append(target)
        return target

    def link(self, page: Path, link: "re.Match[str]") -> str:
        text, path, heading = link.group(1), link.group(2), link.group(3) or ""
        target = self.follow(page, path)
        if target is None:
            # A folder without a page of its own.
            return text
        return f"[{text}]({os.path.relpath(target, page.parent)}{heading})"


def add_contents(gathered: Gathering):
    """Adds the contents to the first page: the pages in the order in which they are reached."""
    pages = [page for page in gathered.pages if page != Path("README.md")]
    groups = {"Guides and reference": [], "Clients": [], "Filters": [], "The project": []}
    folders = {("docs", "clients"): "Clients", ("docs",): "Guides and reference", ("plugins",): "Filters"}
    for page in pages:
        group = folders.get(page.parts[:-1]) or folders.get(page.parts[:1]) or "The project"
        groups[group].append(page.with_suffix("").as_posix())
    contents = ""
    for caption, names in groups.items():
        if names:
            listed = "\n".join(names)
            contents += f"\n```{{toctree}}\n:hidden:\n:maxdepth: 1\n:caption: {caption}\n\n{listed}\n```\n"
    with (PAGES / "README.md").open("a", encoding="utf-8") as readme:
        readme.write(contents)


def sphinx() -> Path:
    """Python with Sphinx, installed where it is missing."""
    folder = OUT / "venv"
    python = folder / "bin" / "python"
    wanted = f"{sys.version}\n{(HERE / 'requirements.txt').read_text(encoding='utf-8')}"
    stamp = folder / "stamp"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=True)
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, "-r", HERE / "requirements.txt"], check=True)
        stamp.write_text(wanted, encoding="utf-8")
    return python


def main():
    shutil.rmtree(PAGES, ignore_errors=True)
    gathered = Gathering()
    gathered.all()
    reached = {ROOT / page for page in gathered.pages}
    for page in sorted((ROOT / "docs").rglob("*.md")):
        if page not in reached:
            gathered.wrong.append(f"{page.relative_to(ROOT)} is linked from no page")
    if gathered.wrong:
        sys.exit("\n".join(f"build.py: {wrong}" for wrong in gathered.wrong))
    add_contents(gathered)
    shutil.copyfile(HERE / "conf.py", PAGES / "conf.py")
    target = OUT / "html" / version()
    shutil.rmtree(target, ignore_errors=True)
    # A warning is an error: a link to a heading that does not exist is one.
    command = [sphinx(), "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going", "--jobs", "auto"]
    command += ["--define", "root_doc=README", PAGES, target, "--doctree-dir", OUT / "doctrees"]
    if subprocess.run(command, env={**os.environ, "TAMIS_VERSION": version()}).returncode != 0:
        sys.exit("build.py: the lines above say what is wrong")
    first = "<!doctype html><meta charset=utf-8><title>Tamis</title>"
    for name, to in [(OUT / "html" / "index.html", f"{version()}/README.html"), (target / "index.html", "README.html")]:
        name.write_text(f'{first}<meta http-equiv=refresh content="0; url={to}"><a href="{to}">Tamis</a>\n', encoding="utf-8")
    print(f"{len(gathered.pages)} pages, every link leads to a page or heading: {target.relative_to(ROOT)}/README.html")


if __name__ == "__main__":
    main()
