#!/bin/sh
# Runs a client with `tamis run --url` between it and a server that wants a login.
#
#   through-run.sh TAMIS CLIENT URL
#
# Tamis logs in by itself, in a browser that follows where it is sent. What a user has to bring, such as an id that the
# authorization server knows, is in MCP_CONFORMANCE_CONTEXT.
set -eu
tamis=$1 client=$2 url=$3

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
export TAMIS_STATE_DIR="$folder/state"
export BROWSER="$folder/browser"
: >"$folder/filters.toml"
cat >"$folder/browser" <<'BROWSER'
#!/usr/bin/env python3
import sys, urllib.request
urllib.request.build_opener(urllib.request.ProxyHandler({})).open(sys.argv[1]).read()
BROWSER
chmod +x "$folder/browser"

given() {
    printf '%s' "${MCP_CONFORMANCE_CONTEXT:-}" |
        python3 -c 'import json, sys; print(json.loads(sys.stdin.read() or "{}").get(sys.argv[1], ""))' "$1"
}
case ${MCP_CONFORMANCE_SCENARIO:-} in
auth/pre-registration)
    SECRET=$(given client_secret)
    export SECRET
    "$tamis" login "$url" --client-id "$(given client_id)" --client-secret '${SECRET}' >&2
    ;;
auth/basic-cimd)
    "$tamis" login "$url" --client-id https://conformance-test.local/client-metadata.json >&2
    ;;
esac
"$client" --stdio -- "$tamis" run --config "$folder/filters.toml" --url "$url"
