#!/bin/sh
# Installs @COMMAND@ @VERSION@ for this user, or removes it.
#
#   sh install.sh                       download, check the digest, install
#   sh install.sh --from FOLDER|URL     take the archive from there
#   sh install.sh --to FOLDER           install into FOLDER/bin and FOLDER/share [default: ~/.local]
#   sh install.sh --remove              remove what this script installed
#
# The digests of the archives of this version are in this script: another archive is refused.
set -eu

command=@COMMAND@
archive=@ARCHIVE@
version=@VERSION@
downloads=@DOWNLOADS@
digests='@DIGESTS@'

fail() {
    echo "install.sh: $1" >&2
    exit 1
}

from=$downloads
to=${HOME:?install.sh: HOME is not set}/.local
remove=
while [ $# -gt 0 ]; do
    case $1 in
        --from) from=${2:?--from needs a folder or a URL}; shift 2 ;;
        --to) to=${2:?--to needs a folder}; shift 2 ;;
        --remove) remove=yes; shift ;;
        -h | --help) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 0 ;;
        *) fail "unknown option $1: see --help" ;;
    esac
done
# The files that an installation wrote, one a line.
list=$to/share/$command/installed

remove_installed() {
    [ -f "$list" ] || return 0
    while read -r file; do
        rm -f "$to/$file"
    done <"$list"
    rm -f "$list"
    rmdir "$to/share/$command" 2>/dev/null || true
}

if [ -n "$remove" ]; then
    [ -f "$list" ] || fail "$list is missing: this script installed nothing in $to"
    remove_installed
    echo "removed $command from $to; \`$command uninstall\` before this restores the clients' files"
    exit 0
fi

system=$(uname -s) machine=$(uname -m)
case $machine in
    amd64) machine=x86_64 ;;
    arm64) machine=aarch64 ;;
esac
case $system in
    Linux)
        libc=gnu
        if ldd --version 2>&1 | grep -qi musl; then libc=musl; fi
        target=$machine-unknown-linux-$libc
        ;;
    Darwin) target=$machine-apple-darwin ;;
    *) fail "no archive for $system: the packages of npm and PyPI may have one" ;;
esac
# A static program runs with every C library.
for candidate in "$target" "$machine-unknown-linux-musl"; do
    file=$archive-$version-$candidate.tar.gz
    digest=$(echo "$digests" | sed -n "s/^\([0-9a-f]*\)  $file\$/\1/p")
    [ -z "$digest" ] || break
done
[ -n "$digest" ] || fail "version $version has no archive for $target. It has: $(echo "$digests" | sed 's/.*  //' | tr '\n' ' ')"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
case $from in
    http://* | https://*)
        if command -v curl >/dev/null 2>&1; then
            curl --proto '=https,http' --fail --silent --show-error --location --output "$work/$file" "$from/$file"
        elif command -v wget >/dev/null 2>&1; then
            wget --quiet --output-document "$work/$file" "$from/$file"
        else
            fail "neither curl nor wget is installed: download $from/$file, and use --from FOLDER"
        fi || fail "cannot download $from/$file"
        ;;
    *) cp "$from/$file" "$work/$file" || fail "cannot read $from/$file" ;;
esac

if command -v sha256sum >/dev/null 2>&1; then
    found=$(sha256sum "$work/$file")
elif command -v shasum >/dev/null 2>&1; then
    found=$(shasum -a 256 "$work/$file")
else
    fail "neither sha256sum nor shasum is installed, so the archive cannot be checked"
fi
found=${found%% *}
[ "$found" = "$digest" ] || fail "$file is not the released archive, and nothing was installed.
  expected SHA-256 $digest
  found            $found"

tar -xzf "$work/$file" -C "$work"
unpacked=$work/${file%.tar.gz}
remove_installed
mkdir -p "$to/share/$command"
: >"$list"
place() { # FILE MODE PLACE
    mkdir -p "$(dirname "$to/$3")"
    # A program that runs is replaced as a whole.
    cp "$1" "$to/$3.new"
    chmod "$2" "$to/$3.new"
    mv -f "$to/$3.new" "$to/$3"
    echo "$3" >>"$list"
}
place "$unpacked/$command" 755 "bin/$command"
for page in "$unpacked"/man/*.1; do
    place "$page" 644 "share/man/man1/$(basename "$page")"
done
place "$unpacked/completions/$command.bash" 644 "share/bash-completion/completions/$command"
place "$unpacked/completions/_$command" 644 "share/zsh/site-functions/_$command"
place "$unpacked/completions/$command.fish" 644 "share/fish/vendor_completions.d/$command.fish"
echo "installed $to/bin/$command"
case :$PATH: in
    *:"$to/bin":*) ;;
    *) echo "add $to/bin to your PATH: export PATH=\"$to/bin:\$PATH\"" ;;
esac
echo "next: $command install"
