#!/usr/bin/env bash
# Measures what a newcomer waits for: runs make's targets in clean clones of the last commit, where nothing is built, and
# prints how long each took. Fails if one fails or takes longer than it may.
#
#   tests/from-nothing.sh                  `make demo` in at most 6 minutes, and `make test` in at most 25
#   TARGETS="demo" tests/from-nothing.sh   one of them
#
# What cargo, npm and pip downloaded before, they do not download again.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$PWD/target/from-nothing
unset CARGO_TARGET_DIR MAKEFLAGS MAKELEVEL MFLAGS
failed=0 table='target | seconds | at most | processor time\n---|--:|--:|--:\n'
for target in ${TARGETS:-demo test}; do
    case $target in
        demo) most=360 ;;
        test) most=1500 ;;
        *) echo "from-nothing: no limit is known for \`make $target\`: TARGETS is \"demo\", \"test\" or both" >&2; exit 2 ;;
    esac
    rm -rf "$work/clone" "$work/failed-$target"
    mkdir -p "$work"
    git clone --quiet --no-hardlinks . "$work/clone"
    log=$work/$target.log
    echo "from-nothing: make $target at $(git rev-parse --short HEAD), output in $log" >&2
    TIMEFORMAT='%R %U %S'
    result=ok
    { time make -C "$work/clone" "$target" >"$log" 2>&1 </dev/null; } 2>"$work/time" || result=FAILED
    read -r seconds user system < <(tail -n 1 "$work/time")
    if [ "$result" = FAILED ]; then
        tail -n 20 "$log" >&2
        mv "$work/clone" "$work/failed-$target"
        failed=1
    elif [ "${seconds%.*}" -gt "$most" ]; then
        failed=1
    fi
    table+="make $target, $result | ${seconds%.*} | $most | $(awk "BEGIN { printf \"%.0f\", $user + $system }")\n"
done
rm -rf "$work/clone"
printf '%b' "$table" | column -t -s '|' -o '|'
exit "$failed"
