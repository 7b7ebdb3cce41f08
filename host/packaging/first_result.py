#!/usr/bin/env python3
"""Makes one call to a real MCP server, bare and through Tamis, and fails unless the second answer is filtered.

  first_result.py node|python TAMIS...    TAMIS: the command that starts Tamis, such as `npx tamis`

`node` is the server of files, `python` the server of a git repository; both are those of `tests/setup.sh`.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2] / "tests"
PATIENCE_SECONDS = 60


def exchange(command, calls):
    """The answers to requests, in order. The server's standard input stays open until the last one."""
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    answers = []
    try:
        for number, (method, params) in enumerate(calls):
            request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            server.stdin.write(json.dumps(request) + "\n")
            server.stdin.flush()
            while True:
                line = server.stdout.readline()
                if not line:
                    sys.exit(f"first_result: the server ended before it answered {method}: {command}")
                message = json.loads(line)
                if message.get("id") == number and "method" not in message:
                    break
            answers.append(message)
            if method == "initialize":
                server.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
                server.stdin.flush()
    finally:
        server.stdin.close()
        server.wait(timeout=PATIENCE_SECONDS)
    return answers


def text(command, tool, arguments):
    client = {"name": "packages-check", "version": "1"}
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    calls = [("initialize", hello), ("tools/call", {"name": tool, "arguments": arguments})]
    result = exchange(command, calls)[1].get("result")
    if not result or result.get("isError"):
        sys.exit(f"first_result: the call of {tool} failed: {json.dumps(result)}")
    return "".join(block.get("text", "") for block in result["content"])


def node(folder):
    rows = [{"id": id, "name": f"customer {id}", "state": "open", "note": None} for id in range(40)]
    file = folder / "orders.json"
    file.write_text(json.dumps(rows, indent=1))
    server = TESTS / "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"
    return ["node", server, folder], "read_text_file", {"path": str(file)}


def python(folder):
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    git = ["git", "-C", folder]
    subprocess.run([*git, "init", "--quiet"], check=True)
    for number in range(30):
        message = f"Change {number} of the table of orders"
        subprocess.run([*git, *who, "commit", "--quiet", "--allow-empty", "--message", message], check=True)
    server = [TESTS / ".venv/bin/mcp-server-git", "--repository", folder]
    return server, "git_log", {"repo_path": str(folder), "max_count": 30}


SERVERS = {"node": node, "python": python}


def served(kind, folder):
    """The command of a real server, and the tool to call with its arguments."""
    server, tool, arguments = SERVERS[kind](Path(folder))
    return [os.fspath(part) for part in server], tool, arguments


def compare(bare, filtered):
    """Fails unless the second answer is a filtered form of the first."""
    if not 0 < len(filtered) < len(bare):
        sys.exit(f"first_result: the answer through Tamis is not filtered:\n{filtered[:600]}")


def first_result(kind, tamis):
    with tempfile.TemporaryDirectory() as folder:
        server, tool, arguments = served(kind, folder)
        filtered = text([*map(os.fspath, tamis), "run", "--", *server], tool, arguments)
        compare(text(server, tool, arguments), filtered)


def main():
    kind, *tamis = sys.argv[1:]
    first_result(kind, tamis)
    print("filtered")


if __name__ == "__main__":
    main()
