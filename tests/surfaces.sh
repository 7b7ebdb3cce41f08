#!/usr/bin/env bash
# Removes one surface at a time from the code that redacts whole messages, in a copy of this repository, and shows that
# the test with the hostile server notices: a secret arrives.
#
# SURFACES="errors batches" tries these alone. `surfaces.sh check` builds nothing, and says whether the code still has
# each surface's text. Shares target/ with the repository, so that only the program and one
# test are built again for each surface (two minutes).
set -euo pipefail
cd "$(dirname "$0")/.."
repository=$PWD
tree=$repository/target/surfaces
options=(--release --locked --workspace --target-dir "$repository/target" --config 'profile.release.package.tamis.opt-level=0')
http=host/src/mcp/http

# name | file | text that occurs once in it | text without the surface
# The type of an answer has no row, since two places guard it: a type with a parameter is refused (http/answer.rs) before
# it would be redacted (http/headers.rs).
surfaces() {
    local edits='if let Some(policy) = self.in_force.redacting(hides) {'
    local only='if let Some(policy) = self.in_force.redacting(hides)'
    cat <<TABLE
results|host/src/mcp/relay/answers.rs|$edits|$only && view.result.is_none() {
errors|host/src/mcp/relay/answers.rs|$edits|$only && view.error.is_none() {
notifications|host/src/mcp/relay/answers.rs|$edits|$only && (view.is_answer() \|\| view.id.is_some()) {
requests|host/src/mcp/relay/answers.rs|$edits|$only && (view.is_answer() \|\| view.id.is_none()) {
unknown-answers|host/src/mcp/relay/answers.rs|id_is_known: is_awaited,|id_is_known: is_awaited \|\| true,
batches|host/src/mcp/relay.rs|views.filter_map(\|view\| self.edit(bytes, view)).collect()|views.take(1).filter_map(\|view\| self.edit(bytes, view)).collect()
other-lines|host/src/mcp/relay.rs|if let Some(doubt) = self.judge("upstream server", doubt) {|if let Some(doubt) = self.judge("upstream server", doubt) && !matches!(frame, Frame::Opaque) {
headers|$http/headers.rs|filter(\|name\| !NEEDED.contains(name))|filter(\|name\| !NEEDED.contains(name) && name.as_str() != "x-note")
retry-after|$http/headers.rs|for name in [CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE] {|for name in [CONTENT_TYPE, WWW_AUTHENTICATE] {
www-authenticate|$http/headers.rs|for name in [CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE] {|for name in [CONTENT_TYPE, RETRY_AFTER] {
pages|$http/answer.rs|_ if is_bound && (answer.status().is_success() \|\| is_strict) => {|_ if is_bound && answer.status().is_success() => {
comments|$http/events.rs|b"" if !line.is_empty() => out.push(b':'),|b"" if !line.is_empty() => out.extend_from_slice(line),
event-names|$http/events.rs|== Some(b"message") =>|.is_some() =>
retry|$http/events.rs|.all(\|b\| b.is_ascii_digit() \|\| b": ".contains(b)) =>|.all(\|b\| b.is_ascii()) =>
escapes|plugins/redact/src/lib.rs|true => Cow::Owned(unquote(raw).unwrap_or_else(\|\| with_whole_characters(raw))),|true => Cow::Borrowed(spelled),
half-characters|plugins/redact/src/lib.rs|unquote(raw).unwrap_or_else(\|\| with_whole_characters(raw))|unquote(raw).unwrap_or_default()
keys|plugins/redact/src/lib.rs|if let Some(mut new) = self.text(&key, names, 0) {|if let Some(mut new) = self.text(&key, names, 0).filter(\|_\| false) {
strings|plugins/redact/src/lib.rs|.text(&said, names, nested);|.text(&said, names, nested).filter(\|_\| false);
TABLE
}

# `file old new written`: as `sed`, but of a plain text, which must occur exactly once.
replace() {
    python3 - "$@" <<'P'
import sys
path, old, new, written = sys.argv[1:]
text = open(path).read()
if text.count(old) != 1:
    sys.exit(f"surfaces: {path} has {text.count(old)} times, in place of once: {old}")
open(written, "w").write(text.replace(old, new))
P
}

# Columns of a row, with a character between them that no code has. `|` separates columns, `\|` is one.
columns() {
    sed 's/\\|/\x1e/g; s/|/\x1f/g; s/\x1e/|/g'
}

if [ "${1:-}" = check ]; then
    surfaces | columns | while IFS=$'\x1f' read -r name file old new; do
        replace "$file" "$old" "$new" /dev/null || { echo "surfaces: the row \`$name\` in tests/surfaces.sh needs another text"; exit 1; }
    done
    exit
fi
rm -rf "$tree" && mkdir -p "$tree"
git ls-files -z | xargs -0 cp --parents -t "$tree"

run() {
    (cd "$tree" && cargo test "${options[@]}" --test http -- every_message) > "$tree/log" 2>&1
}

run || { cat "$tree/log"; echo "surfaces: the test fails with every surface"; exit 1; }
tried=0 unnoticed=0
while IFS=$'\x1f' read -r name file old new; do
    [ -z "${SURFACES:-}" ] || [[ " $SURFACES " == *" $name "* ]] || continue
    replace "$file" "$old" "$new" "$tree/$file"
    tried=$((tried + 1))
    if run; then
        echo "surfaces: without $name, no secret arrives: no place of the hostile server has this surface"
        unnoticed=$((unnoticed + 1))
    elif ! grep -q '^test result: FAILED' "$tree/log"; then
        cat "$tree/log"
        echo "surfaces: without $name, the test was not built: the table in tests/surfaces.sh needs another text"
        exit 1
    else
        echo "surfaces: without $name: $(grep -A1 '^  left: \[' "$tree/log" | head -1 | cut -c 1-200)"
    fi
    cp "$file" "$tree/$file"
done < <(surfaces | columns)
rm -rf "$tree"
# The program of the repository takes its place in target/release again.
cargo build --quiet --release --locked --workspace
[ "$unnoticed" = 0 ] || exit 1
[ "$tried" != 0 ] || { echo "surfaces: none of this name: $SURFACES"; exit 1; }
echo "surfaces: ok: the hostile server's test fails without any one of $tried surfaces"
