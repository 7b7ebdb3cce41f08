#!/usr/bin/env python3
"""Runs Tamis for Windows under Wine as its users would, and prints what works.

    tests/wine.py TAMIS.exe STAND_IN.exe PLUGIN.wasm FOLDER

Each function below is a use of the program, and its first line is the row of the table. FOLDER gets a Wine prefix,
which is made again for each run. Folders outside of the prefix are open to all of Wine's users, so that Tamis refuses
to store anything there: all data is on drive C.

What Wine 8 does not carry is the list NOT_RUN.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
import urllib.request

TAMIS, STAND_IN, PLUGIN, FOLDER = (pathlib.Path(argument).resolve() for argument in sys.argv[1:5])

# Real uses that need Windows itself, and why.
NOT_RUN = {
    "the limit on memory of the process that compiles": "Wine accepts the limit of a job and does not enforce it",
    "Ctrl-C in a console": "Wine's programs have no console here",
    "lists of rights (ACL) that name other users": "Wine has one user",
    "a browser for a login": "no browser is installed in Wine",
}

PREFIX = FOLDER / "prefix"
DRIVE = PREFIX / "drive_c"
WORK = DRIVE / "work"
ENVIRONMENT = {
    **os.environ,
    "WINEPREFIX": str(PREFIX),
    "WINEDEBUG": "-all",
    "WINEDLLOVERRIDES": "mscoree,mshtml=",
    "WINEARCH": "win64",
    "DISPLAY": "",
    # Of the machine that tests, not of Windows.
    "HOME": str(FOLDER),
}
for name in list(ENVIRONMENT):
    if name.startswith(("TAMIS_", "XDG_")):
        del ENVIRONMENT[name]


def windows(path: pathlib.Path) -> str:
    """The path as Windows has it."""
    return "C:\\" + str(path.relative_to(DRIVE)).replace("/", "\\")


def start(*arguments, env=None, folder=None, program=None):
    line = ["wine", windows(WORK / (program or "tamis.exe")), *arguments]
    return subprocess.Popen(
        line,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder or WORK,
        env={**ENVIRONMENT, **(env or {})},
    )


def run(*arguments, code=0, input=b"", limit=120, **more):
    """Runs Tamis, and returns its output and its errors."""
    process = start(*arguments, **more)
    if isinstance(input, str):
        input = input.encode()
    try:
        output, errors = process.communicate(input, timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        output, errors = process.communicate()
        raise AssertionError(f"{arguments} took more than {limit} s\n{output!r}\n{errors.decode()}") from None
    said = f"{arguments}\n{output.decode(errors='replace')[:2000]}\n{errors.decode(errors='replace')[:4000]}"
    assert process.returncode == code, f"ended with {process.returncode}, not {code}: {said}"
    return output.decode(), errors.decode()


def message(method, id=None, **params):
    said = {"jsonrpc": "2.0", "method": method, "params": params}
    if id is not None:
        said["id"] = id
    return json.dumps(said) + "\n"


GREETING = message(
    "initialize",
    1,
    protocolVersion="2025-11-25",
    capabilities={},
    clientInfo={"name": "test", "version": "1"},
) + message("notifications/initialized")


def session(*calls):
    """What a client writes."""
    lines = [GREETING]
    for id, (method, params) in enumerate(calls, 2):
        lines.append(message(method, id, **params))
    return "".join(lines)


def answers(output):
    found = [json.loads(line) for line in output.splitlines() if line.strip()]
    return {answer["id"]: answer for answer in found if "id" in answer and "method" not in answer}


def server(system="spill"):
    return ["--", windows(WORK / "stand-in.exe"), system]


def write(name, text):
    path = WORK / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


# --- the uses


def version():
    """`tamis --version`"""
    output, _ = run("--version")
    assert output.startswith("tamis "), output


def check():
    """`tamis check`: a sound policy, and a broken one"""
    write("sound.toml", '[[chain]]\ntools = ["*"]\nsteps = ["ansi"]\n')
    run("check", "sound.toml")
    write("broken.toml", '[[chain]]\ntools = ["*"]\nsteps = ["no-such-filter"]\n')
    output, errors = run("check", "broken.toml", code=1)
    assert "no-such-filter" in output + errors


def apply():
    """`tamis apply`: a built-in filter"""
    write("nulls.toml", '[[chain]]\ntools = ["*"]\nsteps = ["null-stripper"]\n')
    output, _ = run("apply", "--config", "nulls.toml", "--tool", "t", input='{"a":null,"b":1}')
    assert json.loads(output) == {"b": 1}, output


def policy_tests():
    """`tamis test`"""
    write(
        "tested.toml",
        '[[chain]]\ntools = ["*"]\nsteps = ["null-stripper"]\n\n'
        '[[test]]\nname = "nulls"\ntool = "t"\ninput = \'{"a":null,"b":1}\'\nexpect = \'{"b":1}\'\n',
    )
    run("test", "tested.toml")


def relay():
    """`tamis run`: a session with a real server over stdio, filtered; the server ends with the client"""
    bare = answers(run(*server()[2:], input=session(("tools/list", {})), program="stand-in.exe")[0])
    names = [tool["name"] for tool in bare[2]["result"]["tools"]]
    calls = [("tools/list", {})] + [("tools/call", {"name": name, "arguments": {}}) for name in names]
    before, _ = run(*server()[2:], input=session(*calls), program="stand-in.exe")
    output, errors = run("run", *server(), input=session(*calls))
    found, plain = answers(output), answers(before)
    assert found.keys() == plain.keys(), (found.keys(), plain.keys(), errors)
    listed = {tool["name"] for tool in found[2]["result"]["tools"]}
    assert set(names) <= listed and "tamis_read" in listed, listed
    assert len(output) < len(before) * 0.8, (len(output), len(before))
    assert "tamis_read" in output, "no original was stored"


def read_back():
    """`tamis read`, and the read tool: what a filter cut"""
    output, _ = run("read", "--list", "--json")
    listed = json.loads(output)
    originals = listed["originals"] if isinstance(listed, dict) else listed
    assert originals, output
    reference = next(value for value in originals[0].values() if isinstance(value, str))
    original, _ = run("read", reference)
    assert len(original) > 1000, original
    call = ("tools/call", {"name": "tamis_read", "arguments": {"ref": reference}})
    output, _ = run("mcp", input=session(("tools/list", {}), call))
    found = answers(output)
    assert found[2]["result"]["tools"][0]["name"] == "tamis_read"
    assert not found[3]["result"].get("isError"), found[3]


def ledger():
    """`tamis stats`: the ledger"""
    output, _ = run("stats", "--json")
    assert '"calls"' in output and json.loads(output.splitlines()[0] if output.count("\n{") else output), output


def program_endings():
    """`tamis run -- npx …`: a program that is found by PATH and PATHEXT (`server.cmd`)"""
    write("bin/server.cmd", f'@echo off\r\n"{windows(WORK / "stand-in.exe")}" %*\r\n')
    output, _ = run(
        "run", "--", "server", "spill",
        input=session(("tools/list", {})),
        env={"WINEPATH": windows(WORK / "bin")},
    )
    assert answers(output)[2]["result"]["tools"]


def endings():
    """a server that ends, or does not start: status and message"""
    write("bin/seven.cmd", "@exit 7\r\n")
    _, errors = run("run", "--", windows(WORK / "bin/seven.cmd"), code=7)
    assert "exited with status 7" in errors, errors
    _, errors = run("run", "--", "no-such-program", code=127)
    assert "is not found" in errors, errors


def stubborn():
    """a server that ignores the end of its input is ended, with the processes that it started"""
    write("bin/stubborn.cmd", f'@"{windows(WORK / "tamis.exe")}" serve --listen 127.0.0.1:18931 --config "{windows(WORK / "served.toml")}"\r\n')
    write("served.toml", f"[server.editor]\ncommand = ['{windows(WORK / 'stand-in.exe')}', 'spill']\n")
    begun = time.monotonic()
    run("run", "--", windows(WORK / "bin/stubborn.cmd"), limit=60)
    assert time.monotonic() - begun < 30
    try:
        urllib.request.urlopen("http://127.0.0.1:18931/healthz", timeout=2)
    except OSError:
        return
    raise AssertionError("a process of the server still runs")


def serve():
    """`tamis serve`: a session over HTTP, with a server that it starts"""
    write("served.toml", f"[server.editor]\ncommand = ['{windows(WORK / 'stand-in.exe')}', 'spill']\n")
    process = start("serve", "--listen", "127.0.0.1:18930", "--config", "served.toml")
    try:
        line = process.stdout.readline().decode()
        assert "listening on" in line, line + process.stderr.read(2000).decode()
        url = "http://127.0.0.1:18930/editor/mcp"
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}

        def post(body, more={}):
            request = urllib.request.Request(url, body.encode(), {**headers, **more})
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.headers, answer.read().decode()

        answered, body = post(GREETING.splitlines()[0])
        assert "serverInfo" in body, body
        name = {"mcp-session-id": answered["mcp-session-id"], "mcp-protocol-version": "2025-11-25"}
        post(GREETING.splitlines()[1], name)
        _, body = post(message("tools/list", 2), name)
        assert '"tools"' in body, body
    finally:
        process.kill()
        process.communicate()


def hook():
    """`tamis hook`: a result of an agent's own tool"""
    output = "".join(f"\x1b[32mok\x1b[0m {number}\n" for number in range(4000))
    event = {
        "session_id": "0b9a4a8e-5f44-4f5c-9f0e-2a8d7c8f1b11",
        "transcript_path": "C:\\Users\\dev\\.claude\\projects\\app\\0b9a4a8e-5f44-4f5c-9f0e-2a8d7c8f1b11.jsonl",
        "prompt_id": "db8132da-96ab-47a8-8cb7-bc5b2a4cd53c", "cwd": "C:\\app", "permission_mode": "default",
        "effort": {"level": "high"},
        "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "make"},
        "tool_response": {"stdout": output, "stderr": "", "interrupted": False, "isImage": False},
        "tool_use_id": "toolu_00000001", "duration_ms": 64,
    }
    output, errors = run("hook", input=json.dumps(event))
    updated = json.loads(output)["hookSpecificOutput"]["updatedToolOutput"]["stdout"]
    assert "\x1b" not in updated and "tamis.exe" in updated, updated[-500:]


def install():
    """`tamis install` and `tamis uninstall`: the client's file comes back byte for byte"""
    home = next(path for path in (DRIVE / "users").iterdir() if path.name != "Public")
    configuration = home / ".cursor/mcp.json"
    configuration.parent.mkdir(exist_ok=True)
    stand_in = windows(WORK / "stand-in.exe").replace("\\", "\\\\")
    text = f'{{\r\n  "mcpServers": {{\r\n    "editor": {{"command": "{stand_in}", "args": ["spill"]}}\r\n  }}\r\n}}\r\n'
    configuration.write_bytes(text.encode())
    desktop = home / "AppData/Roaming/Claude/claude_desktop_config.json"
    desktop.parent.mkdir(parents=True, exist_ok=True)
    desktop.write_bytes(text.encode())
    run("install", "--yes")
    for file in (configuration, desktop):
        wrapped = json.loads(file.read_text())["mcpServers"]
        command = wrapped["editor"]
        assert command["command"].endswith("tamis.exe") and "run" in command["args"], wrapped
    # The client starts what is written there.
    line = ["wine", command["command"], *command["args"]]
    done = subprocess.run(
        line, input=session(("tools/list", {})).encode(), capture_output=True, cwd=WORK, env=ENVIRONMENT, timeout=120
    )
    assert answers(done.stdout.decode())[2]["result"]["tools"], done.stderr.decode()
    run("uninstall", "--yes")
    assert configuration.read_bytes() == text.encode() and desktop.read_bytes() == text.encode()


def trust():
    """`tamis trust`: a project's policy counts once it is trusted, and not after a change"""
    project = WORK / "project"
    (project / ".git").mkdir(parents=True, exist_ok=True)
    file = project / "filters.toml"
    file.write_text('[[chain]]\ntools = ["*"]\nsteps = ["null-stripper"]\n')
    run("trust", "--yes", folder=project)
    output, _ = run("apply", "--tool", "t", input='{"a":null,"b":1}', folder=project)
    assert json.loads(output) == {"b": 1}, output
    file.write_text('[[chain]]\ntools = ["*"]\nsteps = ["ansi"]\n')
    _, errors = run("run", "--", "no-such-program", folder=project)
    assert "trust" in errors, errors


def compile_plugin():
    """`tamis plugin test`: another process compiles a plugin, within its limits, and its code is stored"""
    write("document.json", '{"a":null,"b":1}')
    run("plugin", "test", "plugin.wasm", "--document", "document.json", limit=300)
    write("plugin.toml", '[[plugin]]\nname = "mine"\npath = "plugin.wasm"\n\n[[chain]]\ntools = ["*"]\nsteps = ["mine"]\n')
    output, _ = run("apply", "--config", "plugin.toml", "--tool", "t", input='{"a":null,"b":1}', limit=300)
    assert json.loads(output) == {"b": 1}, output
    home = next(path for path in (DRIVE / "users").iterdir() if path.name != "Public")
    assert list((home / "AppData/Local/tamis/cache/code/wasm").iterdir())


def init():
    """`tamis init`: asks a server for its tools, and writes a policy that holds"""
    run("init", "--output", "new.toml", *server("lenspr"))
    run("check", "new.toml")


def history():
    """`tamis history`: a transcript from standard input"""
    result = {"type": "tool_result", "tool_use_id": "1", "content": json.dumps({"a": None, "b": 1})}
    use = {"type": "tool_use", "id": "1", "name": "t", "input": {}}
    transcript = [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    output, _ = run("history", input=json.dumps(transcript))
    assert len(json.loads(output)) == 2, output


def record():
    """`tamis run --record` and `tamis replay`"""
    names = [("tools/list", {}), ("tools/call", {"name": TOOL, "arguments": {}})]
    write("nulls.toml", '[[chain]]\ntools = ["*"]\nsteps = ["null-stripper"]\n')
    run("run", "--record", "calls", *server(), input=session(*names))
    output, _ = run("replay", "calls", "--config", "nulls.toml")
    assert TOOL in output and "No call differs" in output, output


def reload():
    """`tamis run`: a policy that is saved while it runs is used"""
    file = write("live.toml", '[[chain]]\ntools = ["*"]\nsteps = ["ansi"]\n')
    process = start("--log", "info", "run", "--config", "live.toml", *server())
    try:
        process.stdin.write(session(("tools/list", {})).encode())
        process.stdin.flush()
        line = b""
        while b'"id":2' not in line.replace(b" ", b""):
            line = process.stdout.readline()
            assert line, "Tamis ended before it answered"
        time.sleep(1)
        file.write_text('[[chain]]\ntools = ["*"]\nsteps = ["null-stripper"]\n')
        deadline = time.monotonic() + 20
        os.set_blocking(process.stderr.fileno(), False)
        said = b""
        while b"reloaded" not in said:
            assert time.monotonic() < deadline, said.decode()
            said += process.stderr.read() or b""
            time.sleep(0.1)
    finally:
        process.stdin.close()
        process.wait(30)


def refused_folder():
    """a state directory that others may write to is refused"""
    open_to_all = WORK / "open"
    open_to_all.mkdir(exist_ok=True)
    open_to_all.chmod(0o777)
    _, errors = run("run", *server(), input=session(), env={"TAMIS_STATE_DIR": windows(open_to_all)})
    assert "cannot be used" in errors and "others may" in errors, errors


USES = [
    version, check, apply, policy_tests, relay, read_back, ledger, program_endings, endings, serve, stubborn,
    hook, install, trust, compile_plugin, init, history, record, reload, refused_folder,
]
# A tool of the server, for a call.
TOOL = "get_logs"


# Rust's programs take their random numbers from this library, which Wine has from version 9 on.
RANDOM_NUMBERS = """
#include <windows.h>
#include <ntsecapi.h>
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) { return RtlGenRandom(data, (ULONG)size); }
"""


# Makes `bcryptprimitives.dll`, if this Wine has none.
def add_random_numbers():
    library = DRIVE / "windows" / "system32" / "bcryptprimitives.dll"
    if not library.exists():
        source = FOLDER / "bcryptprimitives.c"
        source.write_text(RANDOM_NUMBERS)
        subprocess.run(["x86_64-w64-mingw32-gcc", "-shared", "-o", library, source, "-ladvapi32"], check=True)


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    subprocess.run(["wineboot", "--init"], env=ENVIRONMENT, check=True, capture_output=True, timeout=300)
    add_random_numbers()
    WORK.mkdir()
    WORK.chmod(0o755)
    shutil.copy(TAMIS, WORK / "tamis.exe")
    shutil.copy(STAND_IN, WORK / "stand-in.exe")
    shutil.copy(PLUGIN, WORK / "plugin.wasm")
    only = sys.argv[5:]
    passed, failed = 0, []
    try:
        for use in USES:
            if only and use.__name__ not in only:
                continue
            begun = time.monotonic()
            try:
                use()
                result = "ok"
                passed += 1
            except Exception as error:  # every row is run, whatever happened to another
                result = f"FAILED: {type(error).__name__}: {error}"
                failed.append(use.__name__)
            print(f"{use.__doc__:<100} | {time.monotonic() - begun:5.1f} s | {result}", flush=True)
    finally:
        subprocess.run(["wineserver", "-k"], env=ENVIRONMENT, check=False)
    for use, why in NOT_RUN.items():
        print(f"{use:<100} |         | not run: {why}")
    print(f"{passed} passed, {len(failed)} failed" + (f": {', '.join(failed)}" if failed else ""))
    sys.exit(bool(failed))


main()
