"""A server over standard input and output that answers each call with a line from a file, whatever it is.

    hostile_server.py CASES

CASES is JSON: by the tool's name, what to write. In it `#` stands for the call's id, `RESULT` for a result with
a secret, `MEMBERS` for the members of an answer with both, and `ANSWER` for such an answer whole. A tool whose name
is that of an encoding has its line in it; the line's end is one byte nevertheless.
"""

import json
import sys

CASES = json.load(open(sys.argv[1], encoding="utf-8"))
SECRET = json.dumps({"content": [{"type": "text", "text": json.dumps({"keep": 1, "secret": "SECRET"})}]})


def write(text: str, encoding: str = "utf-8") -> None:
    sys.stdout.buffer.write(text.removesuffix("\n").encode(encoding) + b"\n")
    sys.stdout.buffer.flush()


def answer(request: dict, **outcome) -> None:
    write(json.dumps({"jsonrpc": "2.0", "id": request["id"]} | outcome) + "\n")


for line in sys.stdin.buffer:
    request = json.loads(line)
    if "id" not in request or "method" not in request:
        continue
    match request["method"]:
        case "initialize":
            version = request["params"]["protocolVersion"]
            greeting = {"protocolVersion": version, "capabilities": {"tools": {}}}
            answer(request, result=greeting | {"serverInfo": {"name": "hostile", "version": "1"}})
        case "tools/list":
            tools = [{"name": name, "inputSchema": {"type": "object"}} for name in CASES]
            answer(request, result={"tools": tools})
        case "tools/call":
            identifier = json.dumps(request["id"])
            members = f'"jsonrpc":"2.0","id":{identifier},"result":{SECRET}'
            name = request["params"]["name"]
            text = CASES[name].replace("\\ufeff", "\ufeff")
            text = text.replace("ANSWER", "{MEMBERS}").replace("MEMBERS", members)
            text = text.replace("RESULT", SECRET).replace("#", identifier)
            write(text, name if name.startswith("utf-") else "utf-8")
            # What was refused may not have been known for an answer.
            answer(request, error={"code": 1, "message": "that was all"})
        case "ping":
            answer(request, result={})
        case _:
            answer(request, error={"code": -32601, "message": "no such method"})
