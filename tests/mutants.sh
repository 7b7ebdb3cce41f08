#!/usr/bin/env bash
# Changes the code of each crate named, one small change at a time, and says which changes no test notices.
# Works on a copy of the files that git knows, since the tests of some crates read files outside of them.
#
# SAMPLE=8 makes every eighth change, SAMPLE=3/8 every eighth from the fourth on (0/8 is the same as 8).
# MUTANTS holds more options of cargo-mutants, such as `--file '**/cells.rs'` or `--re 'in is_number'`.
set -euo pipefail
cd "$(dirname "$0")/.."
most_percent=5
[ $# -gt 0 ] || set -- tamis-document tamis-rows summary tamis-sdk cap truncate
work=$PWD/target/mutants
rm -rf "$work/tree" && mkdir -p "$work/tree"
git ls-files -z | xargs -0 cp --parents -t "$work/tree"
export CARGO_TARGET_DIR=$work/target CARGO_PROFILE_TEST_OPT_LEVEL=1 CARGO_PROFILE_DEV_OPT_LEVEL=1
export CARGO_PROFILE_TEST_DEBUG=0 CARGO_PROFILE_DEV_DEBUG=0
export PROPTEST_RNG_SEED=${PROPTEST_RNG_SEED:-1} TAMIS_FUZZ_DOCUMENTS=${TAMIS_FUZZ_DOCUMENTS:-500}
unset TAMIS_BLESS
options=()
case ${SAMPLE:-} in
    '') ;;
    */*) options+=(--sharding round-robin --shard "$SAMPLE") ;;
    *) options+=(--sharding round-robin --shard "0/$SAMPLE") ;;
esac
failed=0
for crate in "$@"; do
    folder=$work/tree
    [ "$crate" = tamis-document ] || folder=$work/tree/plugins
    of_crate=()
    # bump.rs and report_panics are for WebAssembly, and no native test can see them.
    [ "$crate" != tamis-sdk ] || of_crate=(--all-features --exclude '**/bump.rs' --exclude-re report_panics)
    status=0
    # How a value is printed for developers changes nothing that comes out, nor do whether a tape is made at once, whether
    # flat containers are copied whole, whether a table that surely pays is counted, and in which slot of a hash table
    # a key is kept: the order of such a table is never seen.
    # 2: some were missed, 3: some took too long, which is noticed.
    # shellcheck disable=SC2086
    cargo mutants --dir "$folder" --in-place --package "$crate" --output "$work/$crate" --colors never \
        --no-shuffle --minimum-test-timeout 30 --exclude-re 'impl fmt::Debug|impl Debug|replace == with != in apply$|is_flat|surely_pays|impl Hasher for Quick|Counted.*::slot' \
        "${of_crate[@]}" "${options[@]}" ${MUTANTS:-} -- --lib --tests || status=$?
    [ $status -le 3 ] || { echo "mutants: $crate: cargo-mutants ended with $status"; exit 1; }
    python3 - "$crate" "$work/$crate/mutants.out/outcomes.json" $most_percent <<'P' || failed=1
import json, sys
crate, path, most = sys.argv[1], sys.argv[2], float(sys.argv[3])
outcomes = json.load(open(path))
missed, noticed = outcomes["missed"], outcomes["caught"] + outcomes["timeout"]
percent = 100 * missed / max(1, missed + noticed)
print(f"{crate}: {missed} of {missed + noticed} changes are not noticed, {percent:.1f} %; at most {most:g} % are allowed")
sys.exit(percent > most)
P
done
exit $failed
