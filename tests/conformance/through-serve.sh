#!/bin/sh
# Runs a client with `tamis serve` between it and a server.
#
#   through-serve.sh TAMIS POLICY CLIENT URL
#
# POLICY is a file with what filters.toml says beside the server.
set -eu
tamis=$1 policy=$2 client=$3 url=$4

folder=$(mktemp -d)
serves=
end() {
    [ -z "$serves" ] || kill "$serves" 2>/dev/null || true
    rm -rf "$folder"
}
trap end EXIT
trap 'exit 1' HUP INT TERM

{
    printf '[server.suite]\nurl = "%s"\n' "$url"
    cat "$policy"
} >"$folder/filters.toml"
mkfifo "$folder/says"
"$tamis" serve --config "$folder/filters.toml" --listen 127.0.0.1:0 >"$folder/says" &
serves=$!
# Its other lines are of no interest, but somebody has to read them.
exec 3<"$folder/says"
read -r listening on address <&3 || {
    echo "through-serve.sh: tamis serve did not say where it listens" >&2
    exit 1
}
[ "$listening $on" = "listening on" ] || {
    echo "through-serve.sh: tamis serve said: $listening $on $address" >&2
    exit 1
}
cat <&3 >/dev/null &
"$client" "$address/suite/mcp"
