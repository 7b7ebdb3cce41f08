"""Holds one MCP session through the Python SDK and prints what a client gets to see of it.

    session.py SCENARIO COMMAND [ARGUMENT…]

SCENARIO is one of scenarios/*.json; COMMAND is the server to start. Prints one JSON line a step:
`{"step": …, "result": …}` or `{"step": …, "error": …}`, then everything that the server sent on
its own account. What legitimately differs between two runs is replaced by its name in angle
brackets: the current folder, and the patterns of volatile.json.

It leaves the choice of protocol to the SDK, so that a server of the 2026-07-28 era is spoken to
without `initialize`. session.mjs is the same in TypeScript, and both read the same scenarios.
"""

import json
import os
import re
import sys
import warnings
from pathlib import Path

import anyio
import mcp.types as types
from mcp import Client, MCPError, StdioServerParameters

# Long enough for a loaded machine; the test that starts this has a harder limit of its own.
PATIENCE_SECONDS = 30

FOLDER = os.path.realpath(os.curdir)
HERE = Path(__file__).parent
VOLATILE = [(f"<{v['name']}>", re.compile(v["pattern"])) for v in json.loads((HERE / "volatile.json").read_text())]

LISTS = {
    "list-tools": ("list_tools", "tools"),
    "list-resources": ("list_resources", "resources"),
    "list-templates": ("list_resource_templates", "resource_templates"),
    "list-prompts": ("list_prompts", "prompts"),
}
KINDS = {
    types.ResourceUpdatedNotification: "updated",
    types.ResourceListChangedNotification: "resources-changed",
    types.ToolListChangedNotification: "tools-changed",
    types.PromptListChangedNotification: "prompts-changed",
}


def plain(value):
    """What the SDK made of a message, with nothing left out that was sent."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return value


def stable(text: str) -> str:
    text = text.replace(FOLDER, "<folder>")
    for name, pattern in VOLATILE:
        text = pattern.sub(name, text)
    return text


def report(step: str, **outcome) -> None:
    line = {"step": step} | {key: plain(value) for key, value in outcome.items()}
    print(stable(json.dumps(line, ensure_ascii=False)), flush=True)


def filled(value):
    """A scenario's value with `{folder}` filled in."""
    return json.loads(json.dumps(value).replace("{folder}", FOLDER))


class Heard:
    """Everything that the server sent without being asked, by kind, in order of arrival."""

    def __init__(self, random_logs: str | None):
        self.random_logs = re.compile(random_logs) if random_logs else None
        self.by_kind: dict[str, list] = {}
        self.arrived = anyio.Event()

    def note(self, kind: str, what) -> None:
        if kind == "log" and self.random_logs and self.random_logs.search(str(what.get("data"))):
            return  # a message that the server draws by lot
        self.by_kind.setdefault(kind, []).append(what)
        self.arrived.set()
        self.arrived = anyio.Event()

    async def wait(self, kind: str, count: int) -> None:
        with anyio.fail_after(PATIENCE_SECONDS):
            while len(self.by_kind.get(kind, [])) < count:
                await self.arrived.wait()


class Session:
    def __init__(self, scenario: dict):
        self.roots = filled(scenario["roots"])
        self.heard = Heard(scenario.get("random-logs"))
        self.listed: set[str] = set()
        self.client: Client

    async def on_message(self, message) -> None:
        if isinstance(message, Exception):
            self.heard.note("fault", repr(message))
        elif kind := KINDS.get(type(message)):
            self.heard.note(kind, plain(message.params))

    async def on_log(self, params) -> None:
        self.heard.note("log", plain(params))

    async def on_sampling(self, _context, params):
        self.heard.note("asked", {"sampling/createMessage": plain(params)})
        text = types.TextContent(type="text", text="the model says <nothing>")
        return types.CreateMessageResult(role="assistant", content=text, model="model-1", stop_reason="endTurn")

    async def on_elicitation(self, _context, params):
        self.heard.note("asked", {"elicitation/create": plain(params)})
        if getattr(params, "mode", "form") == "url":
            return types.ElicitResult(action="accept")
        answers = {"name": "Ada", "check": True, "integer": 7, "number": 2.5, "interpretation": "snake"}
        wanted = params.requested_schema.get("properties", {})
        return types.ElicitResult(action="accept", content={k: v for k, v in answers.items() if k in wanted})

    async def on_roots(self, _context):
        self.heard.note("asked", {"roots/list": {}})
        return types.ListRootsResult(roots=[types.Root(**root) for root in self.roots])

    async def list_all(self, do: str):
        method, _ = LISTS[do]
        pages = [await getattr(self.client, method)()]
        while cursor := pages[-1].next_cursor:
            pages.append(await getattr(self.client, method)(cursor=cursor))
        if do == "list-tools":
            self.listed = {tool.name for page in pages for tool in page.tools}
        return [plain(page) for page in pages]

    async def call(self, step: dict):
        if "progress" not in step:
            return await self.client.call_tool(step["tool"], step["arguments"])
        progress = []
        arrived = anyio.Event()

        async def on_progress(*report) -> None:
            progress.append(report)
            if len(progress) >= step["progress"]:
                arrived.set()

        async def request():
            return await self.client.call_tool(step["tool"], step["arguments"], progress_callback=on_progress)

        if step.get("cancel"):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(request)
                with anyio.fail_after(PATIENCE_SECONDS):
                    await arrived.wait()
                tasks.cancel_scope.cancel()
            return {"cancelled": True, "progress": progress[:1]}
        result = await request()
        with anyio.fail_after(PATIENCE_SECONDS):
            await arrived.wait()  # the SDK may hand the result over before the last report
        return {"result": plain(result), "progress": progress}

    async def perform(self, step: dict):
        client = self.client
        match step["do"]:
            case "await":
                await self.heard.wait(step["kind"], step["count"])
            case "ping":
                return await client.send_ping()
            case "list-tools" | "list-resources" | "list-templates" | "list-prompts" as do:
                return await self.list_all(do)
            case "call":
                return await self.call(step)
            case "read":
                return await client.read_resource(step["uri"])
            case "subscribe":
                return await client.subscribe_resource(step["uri"])
            case "unsubscribe":
                return await client.unsubscribe_resource(step["uri"])
            case "get-prompt":
                return await client.get_prompt(step["name"], step.get("arguments"))
            case "complete":
                kinds = {"ref/prompt": types.PromptReference, "ref/resource": types.ResourceTemplateReference}
                ref = kinds[step["ref"]["type"]](**step["ref"])
                return await client.complete(ref, step["argument"], step.get("context"))
            case "set-level":
                return await client.set_logging_level(step["level"])
            case "set-roots":
                self.roots = step["roots"]
                return await client.send_roots_list_changed()
            case other:
                raise SystemExit(f"session.py: no such step: {other}")

    async def run(self, steps: list[dict], command: list[str]) -> None:
        server = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
        async with Client(
            server,
            read_timeout_seconds=PATIENCE_SECONDS,
            cache=None,
            # The SDK's own name is that of a client whose programs compute on results.
            client_info=types.Implementation(name="session.py", version="1.0.0"),
            sampling_callback=self.on_sampling,
            elicitation_callback=self.on_elicitation,
            list_roots_callback=self.on_roots,
            logging_callback=self.on_log,
            message_handler=self.on_message,
        ) as self.client:
            greeting = self.client.session.initialize_result or self.client.session.discover_result
            report("greeting", result=greeting, version=self.client.protocol_version)
            for step in filled(steps):
                await self.step(step)
        called = {step["tool"] for step in steps if step["do"] == "call"}
        report("tools that no step calls", result=sorted(self.listed - called))
        for kind, messages in sorted(self.heard.by_kind.items()):
            for message in messages:
                report(f"heard {kind}", result=message)

    async def step(self, step: dict) -> None:
        name = " ".join(str(step[key]) for key in ("do", "kind", "tool", "uri", "name", "level") if key in step)
        try:
            report(name, result=await self.perform(step))
        except MCPError as error:
            report(name, error=error.error)
        except Exception as error:  # the SDK's own refusal, such as a request that an era does not have
            report(name, error=f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # most of an older era is deprecated
    scenario = json.loads(Path(sys.argv[1]).read_text())
    anyio.run(Session(scenario).run, scenario["steps"], sys.argv[2:])
