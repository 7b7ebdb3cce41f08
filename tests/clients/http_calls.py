"""Calls tools of a server over HTTP through the Python SDK, and prints what each gave, a line a call.

    http_calls.py URL TOOL…
"""

import json
import sys
import warnings

import anyio
import mcp.types as types
from mcp import Client

PATIENCE_SECONDS = 20


async def main(url: str, tools: list[str]) -> None:
    me = types.Implementation(name="http_calls.py", version="1.0.0")
    for tool in tools:
        # A client of its own: an answer that it cannot read may end its connection.
        try:
            with anyio.fail_after(PATIENCE_SECONDS):
                async with Client(url, cache=None, client_info=me) as client:
                    result = await client.call_tool(tool, {})
                    print(json.dumps({tool: result.model_dump(mode="json")}), flush=True)
        except BaseException as error:
            print(json.dumps({tool: f"{type(error).__name__}: {error}"}), flush=True)


warnings.simplefilter("ignore")
anyio.run(main, sys.argv[1], sys.argv[2:])
