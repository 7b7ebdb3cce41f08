#!/bin/sh
# Installs the real MCP clients and servers that the tests talk to, into tests/.venv and
# tests/node_modules, and three coding agents, into target/agents. Does nothing when they are there already.
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

# An agent that cannot be had is named, and its tests do without it.
node agents/run.mjs --install --agents codex,gemini,opencode

# The tests of other days, of pages in a browser, of plugins in C and of registries do without where these cannot be had.
has_faketime() {
    for library in /usr/lib/*/faketime/libfaketimeMT.so.1 /usr/lib*/faketime/libfaketimeMT.so.1; do
        [ -e "$library" ] && return
    done
    return 1
}
has_browser() {
    for name in chromium chromium-browser google-chrome-stable google-chrome; do
        command -v "$name" >/dev/null 2>&1 && return
    done
    return 1
}
has_clang() {
    for name in clang-19 clang ${WASI_SDK_PATH:+"$WASI_SDK_PATH/bin/clang"}; do
        found=0
        # The C library, the compiler's own library, the linker: of what is missing, clang prints another path or a name.
        for question in -print-file-name=crt1-reactor.o -print-libgcc-file-name -print-prog-name=wasm-ld; do
            path=$("$name" --target=wasm32-wasi "$question" 2>/dev/null) || break
            case $path in /*) [ -e "$path" ] && found=$((found + 1)) ;; esac
        done
        [ "$found" = 3 ] && return
    done
    return 1
}
wanted=
has_balancer() { command -v haproxy >/dev/null 2>&1 || [ -x /usr/sbin/haproxy ]; }
has_balancer || wanted="$wanted haproxy"
has_redis() { command -v redis-server >/dev/null 2>&1; }
has_redis || wanted="$wanted redis-server"
has_postgres() { for bin in /usr/lib/postgresql/*/bin/initdb; do [ -x "$bin" ] && return; done; return 1; }
has_postgres || wanted="$wanted postgresql"
has_openssl() { command -v openssl >/dev/null 2>&1; }
has_openssl || wanted="$wanted openssl"
has_faketime || wanted="$wanted libfaketime"
has_browser || wanted="$wanted chromium"
has_registry() { command -v docker-registry >/dev/null 2>&1; }
has_registry || wanted="$wanted docker-registry"
has_clang || wanted="$wanted clang-19 lld-19 wasi-libc libclang-rt-19-dev-wasm32"
if [ -n "$wanted" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update --quiet >/dev/null 2>&1 || true
    # The tests start a database of their own, and none of the system is made.
    if ! has_postgres && [ ! -e /etc/postgresql-common ]; then
        mkdir -p /etc/postgresql-common
        echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf
    fi
    # One after the other: one that cannot be had does not keep the other away.
    for package in $wanted; do
        apt-get install --yes --quiet --no-install-recommends -o Dpkg::Options::=--force-confold "$package" >/dev/null 2>&1 || true
    done
fi
has_faketime || echo 'tests/setup.sh: libfaketime is not installed; tests will know one day only' >&2
has_browser || echo 'tests/setup.sh: Chromium is not installed; tests will not look at pages in a browser' >&2
has_clang || echo 'tests/setup.sh: clang-19 and wasi-libc are not installed; tests will not build plugins in C' >&2
has_balancer && has_redis || echo 'tests/setup.sh: haproxy or redis-server is not installed; tests will not run several replicas' >&2
has_postgres && has_openssl || echo 'tests/setup.sh: postgresql or openssl is not installed; tests will not use a database or TLS' >&2
has_registry || echo 'tests/setup.sh: docker-registry is not installed; tests will not share plugins' >&2
