#!/bin/sh
# Installs the real MCP clients and servers that the tests talk to, into tests/.venv and
# tests/node_modules. Does nothing when they are there already.
#
#   tests/setup.sh
#
# PYTHON names another Python than `python3`.
set -eu
cd "$(dirname "$0")"
python=${PYTHON:-python3}

# Everything that is missing, in one line, before anything is installed.
missing=
lacks() { missing="$missing${missing:+, }$1"; }
if ! node -e 'process.exit(process.versions.node.split(".")[0] >= 20 ? 0 : 1)' 2>/dev/null; then
    lacks 'node 20 or newer'
fi
command -v npm >/dev/null 2>&1 || lacks npm
if ! "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    lacks "$python 3.10 or newer with venv"
fi
command -v git >/dev/null 2>&1 || lacks git
if [ -n "$missing" ]; then
    echo "tests/setup.sh: missing: $missing" >&2
    exit 1
fi

# A stamp is the content that an installation was made from. It is written last, so that an
# interrupted installation is made again.
current() { [ -f "$1" ] && [ "$(cat "$1")" = "$2" ]; }

wanted="$("$python" --version) $(cksum <requirements.txt)"
if ! current .venv/stamp "$wanted"; then
    rm -rf .venv
    "$python" -m venv .venv
    .venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
    echo "$wanted" >.venv/stamp
fi

wanted="$(node --version) $(cksum <package.json)"
if ! current node_modules/.stamp "$wanted"; then
    rm -rf node_modules
    npm install --no-audit --no-fund --no-package-lock --loglevel=error
    echo "$wanted" >node_modules/.stamp
fi

# The test of other days does without where this cannot be had.
if ! ls /usr/lib/*/faketime/libfaketimeMT.so.1 /usr/lib*/faketime/libfaketimeMT.so.1 >/dev/null 2>&1 &&
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    apt-get install --yes --quiet --no-install-recommends libfaketime >/dev/null 2>&1 ||
        echo 'tests/setup.sh: libfaketime cannot be installed; tests will know one day only' >&2
fi
