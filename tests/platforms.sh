#!/usr/bin/env bash
# Checks Tamis for the platforms that this machine is not, and prints a table of them.
#
#   tests/platforms.sh             lints for each target (a superset of `cargo check`)
#   tests/platforms.sh wine        builds for Windows, and runs real uses of the program under Wine
#   tests/platforms.sh arm64       builds for Linux on ARM64, and runs tests in the emulator QEMU
#   tests/platforms.sh musl        builds for Linux without the system's C library, and runs tests
#   TARGETS="aarch64-apple-darwin" tests/platforms.sh      some of the targets
#
# C code of dependencies (SQLite, the parts of `ring`) needs a C compiler for the target. For Windows and Linux it is
# Debian's. For macOS no package has one with Apple's headers: the check puts empty objects in the place of that C code.
# All of the Rust code is checked, nothing is linked.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo=${CARGO:-cargo}
work=$PWD/target/platforms
mkdir -p "$work"

# Target, the C compiler that it needs, the package of Debian that has it, and why no tests run here.
platforms='x86_64-pc-windows-gnu x86_64-w64-mingw32-gcc gcc-mingw-w64-x86-64 `tests/platforms.sh wine` runs them
aarch64-apple-darwin - - needs a Mac
x86_64-apple-darwin - - needs a Mac
aarch64-unknown-linux-gnu aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu `tests/platforms.sh arm64` runs them
x86_64-unknown-linux-musl musl-gcc musl-tools `tests/platforms.sh musl` runs them'

# A C compiler that answers questions as the machine's own does, and compiles everything to nothing.
nothing=$work/compiles-nothing
cat >"$nothing" <<'SCRIPT'
#!/bin/sh
output= compiles= previous=
for argument do
    case $argument in -c) compiles=1 ;; esac
    case $previous in -o) output=$argument ;; esac
    case $argument in -o?*) output=${argument#-o} ;; esac
    previous=$argument
done
if [ -n "$compiles" ] && [ -n "$output" ]; then : >"$output"; exit 0; fi
# A question: which compiler is this?
for argument do
    shift
    case $argument in -arch | -isysroot | --target=* | -target | arm64 | x86_64 | *-apple-*) ;; *) set -- "$@" "$argument" ;; esac
done
exec cc "$@"
SCRIPT
archive=$work/archives-nothing
printf '#!/bin/sh\nfor argument do case $argument in *.a) : >"$argument" ;; esac; done\n' >"$archive"
chmod +x "$nothing" "$archive"

lint() {
    local target=$1 compiler=$2 name=${1//-/_}
    if [ "$compiler" = - ]; then
        export "CC_$name=$nothing" "CXX_$name=$nothing" "AR_$name=$archive" SDKROOT=/
    else
        export "CC_$name=$compiler"
    fi
    nice -n 5 "$cargo" clippy --release --locked --workspace --target "$target" -- -D warnings
}

check_all() {
    local failed=0 table='platform | lints | tests run here | why not\n---|---|---|---\n'
    while read -r target compiler package why; do
        if [ -n "${TARGETS:-}" ] && [[ " $TARGETS " != *" $target "* ]]; then continue; fi
        local result log=$work/$target.log begun=$SECONDS
        if [ "$compiler" != - ] && ! command -v "$compiler" >/dev/null; then
            result="not checked: apt-get install $package"
        elif ! rustup target list --installed | grep -qx "$target" && ! rustup target add "$target" >/dev/null 2>&1; then
            result='not checked: rustup cannot install the target'
        elif (lint "$target" "$compiler") >"$log" 2>&1; then
            result="yes, $((SECONDS - begun)) s"
            [ "$compiler" != - ] || result+=', without C code'
        else
            result="NO: $log"
            failed=1
        fi
        echo "platforms: $target: $result" >&2
        table+="$target | $result | none | $why\n"
    done <<<"$platforms"
    printf '%b' "$table" | column -t -s '|' -o '|'
    return "$failed"
}

# Builds for Windows once, quicker and slower code than a release has, and uses it under Wine.
wine_all() {
    local target=x86_64-pc-windows-gnu tool missing=
    for tool in x86_64-w64-mingw32-gcc:gcc-mingw-w64-x86-64 wine:wine python3:python3; do
        command -v "${tool%:*}" >/dev/null || missing+=" ${tool#*:}"
    done
    [ -z "$missing" ] || { echo "platforms: missing: apt-get install$missing" >&2; exit 1; }
    rustup target list --installed | grep -qx "$target" || rustup target add "$target"
    nice -n 5 "$cargo" build --release --locked --workspace --bins --target "$target" \
        --config profile.release.opt-level=1 --config profile.release.debug=false
    local plugin=target/built-in-filters/wasm32-unknown-unknown/release/null_stripper.wasm
    python3 tests/wine.py "target/$target/release/tamis.exe" "target/$target/release/stand-in.exe" "$plugin" "$work/wine" "$@"
}

# Builds for Linux on ARM64, and runs tests in QEMU: the kernel starts it for programs of that processor. Not all tests:
# emulated, they would take hours.
arm64_all() {
    local target=aarch64-unknown-linux-gnu missing=
    command -v aarch64-linux-gnu-gcc >/dev/null || missing+=' gcc-aarch64-linux-gnu'
    grep -qs enabled /proc/sys/fs/binfmt_misc/qemu-aarch64 || missing+=' qemu-user-binfmt'
    [ -z "$missing" ] || { echo "platforms: missing: apt-get install$missing" >&2; exit 1; }
    rustup target list --installed | grep -qx "$target" || rustup target add "$target"
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
    # Programs find the libraries by themselves, since Tamis starts processes without an environment.
    local libraries=/usr/aarch64-linux-gnu/lib
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUSTFLAGS="-Clink-arg=-Wl,--dynamic-linker=$libraries/ld-linux-aarch64.so.1 -Clink-arg=-Wl,-rpath=$libraries"
    # The tests' own limit is longer (tests/support/mod.rs).
    export TAMIS_TESTS_IN_EMULATOR=1
    build_tests "$target"
    # Two tests of limits need the speed of a machine: another limit comes first, or none.
    run_tests lib --skip a_query_has_bounds --skip estimates_are_within_three_in_a_hundred
    # Some tests find the emulator, not Tamis: its own memory, processes that it starts by a copy of itself, which fail
    # with status 127, environments in another order (the server "everything" prints its own), and filters that are
    # not ready within a second. A query of 10 MB needs the speed of a machine: it has three seconds.
    each_test relay relay_stdio:: real_servers:: read_back:: default_policy:: \
        --skip takes_little_memory --skip a_command_that_cannot_be_started_is_named --skip _and_everything \
        --skip the_tool_is_listed_once_on_the_last_page --skip a_log_of_many_megabytes
    # Each command of the others compiles filters, since they are compiled ahead only by a build on that processor: in
    # QEMU, that takes a minute. Some of them stand for all.
    # One starts the program for every example of a client, which takes a quarter of an hour.
    each_test commands install:: --skip the_example_of_every_client_is_changed check::deny_and_allow_decide_what_fails check::pipes:: \
        check::hostile_plugins::a_module_with_too_much_of_anything_is_refused_uncompiled \
        testing::tests_that_hold_pass testing::a_failure_says_where_and_how
    tell_tests
}

# Builds for Linux without the system's C library, linked statically, and runs tests: this processor runs them itself.
musl_all() {
    local target=x86_64-unknown-linux-musl
    command -v musl-gcc >/dev/null || { echo "platforms: missing: apt-get install musl-tools" >&2; exit 1; }
    rustup target list --installed | grep -qx "$target" || rustup target add "$target"
    export CC_x86_64_unknown_linux_musl=musl-gcc
    build_tests "$target"
    local name
    for name in lib filters relay http commands; do run_tests "$name"; done
    tell_tests
}

# Builds the program, the stand-in servers and the tests for a target, quicker and slower code than a release has.
build_tests() {
    export PROPTEST_CASES=${PROPTEST_CASES:-16}
    executables=$work/$1.executables
    local how=(--release --locked --workspace --target "$1"
        --config profile.release.opt-level=1 --config profile.release.debug=false)
    nice -n 5 "$cargo" build "${how[@]}" --bins
    nice -n 5 "$cargo" test "${how[@]}" --no-run --message-format=json-render-diagnostics \
        --lib --test relay --test commands --test filters --test http >"$executables"
    passed=0 failed=0 skipped=0
}

# The file of a test: the unit tests of Tamis ("lib"), or tests by name.
test_file() {
    python3 - "$executables" "$1" <<'SCRIPT'
import json, sys
for line in open(sys.argv[1]):
    it = json.loads(line)
    target = it.get("target", {})
    name = "lib" if target.get("kind") == ["lib"] and target.get("name") == "tamis" else target.get("name")
    if it.get("executable") and it["profile"]["test"] and name == sys.argv[2]:
        print(it["executable"])
SCRIPT
}

# Runs tests in one process: `run_tests FILE [FILTER…]`.
run_tests() {
    local log=$work/tests.log program status=0
    program=$(test_file "$1")
    shift
    (cd host && "$program" --test-threads 2 "$@") 2>&1 | tee "$log" || status=$?
    local result
    result=$(grep -a '^test result: ' "$log" | tail -n 1 || true)
    passed=$((passed + $(count "$result" passed))) failed=$((failed + $(count "$result" failed)))
    skipped=$((skipped + $(count "$result" 'filtered out')))
    [ "$status" = 0 ] || [ "$(count "$result" failed)" != 0 ] || failed=$((failed + 1))
}

count() {
    local number
    number=$(sed -n "s/.* \([0-9]*\) $2.*/\1/p" <<<"$1")
    echo "${number:-0}"
}

# Runs each test in a process of its own: `each_test FILE [FILTER…]`. In QEMU, a process of many threads that starts
# another one may hang. Such a test is ended, and repeated once.
each_test() {
    local log=$work/test.log program names all name status
    program=$(test_file "$1")
    shift
    names=$(cd host && "$program" --list --format terse "$@" | sed -n 's/: test$//p')
    all=$(cd host && "$program" --list --format terse | grep -c ': test$')
    skipped=$((skipped + all))
    for name in $names; do
        skipped=$((skipped - 1))
        for _ in first second; do
            status=0
            (cd host && exec timeout --signal=KILL 900 "$program" --test-threads 1 --exact "$name") >"$log" 2>&1 || status=$?
            [ "$status" = 137 ] || break
            echo "platforms: $name: the emulator hung"
        done
        if [ "$status" = 0 ]; then
            passed=$((passed + 1))
            echo "test $name ... ok"
        else
            failed=$((failed + 1))
            cat "$log"
            echo "test $name ... FAILED"
        fi
    done
}

tell_tests() {
    echo "platforms: $passed passed, $failed failed, $skipped not run"
    [ "$failed" = 0 ]
}

case ${1:-} in
    '') check_all ;;
    arm64) arm64_all ;;
    musl) musl_all ;;
    wine) shift && wine_all "$@" ;;
    *)
        sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
        exit 2
        ;;
esac
