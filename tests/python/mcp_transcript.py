"""Plays a session of an agent through the official Python SDK, and prints each message for the model as a line of JSON:
mcp_transcript.py SERVER WORKSPACE."""

import asyncio
import json
import os
import re
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

EDITS = [
    {"path": "src/greet.py", "old": '"Hello " + name', "new": 'f"Hello, {name}"'},
    {"path": "src/greet.py", "symbol": "leave", "part": "body", "new": '    return "Goodbye"\n'},
    {"path": "README.md", "lines": "3", "new": "It greets and says goodbye.\n"},
    {"path": "tests/test_greet.py", "content": 'from greet import greet\n\nassert greet("Ada") == "Hello, Ada"\n'},
]


async def main(server: str, workspace: str) -> None:
    parameters = StdioServerParameters(command=server, args=["--workspace", workspace, "--session", "agent"])
    async with stdio_client(parameters) as streams:
        async with ClientSession(*streams) as session:
            await session.initialize()
            tools = (await session.list_tools()).tools
            schema = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]
            show("tools/list", None, json.dumps(schema, separators=(",", ":")))

            async def call(tool: str, **arguments: object) -> None:
                reply = await session.call_tool(tool, arguments)
                show(tool, arguments, reply.content[0].text)

            await call("read", path="src/greet.py")
            await call("read", path="README.md", lines="1-3")
            await call("edit", edits=EDITS, why="say goodbye")
            # Another program adds a line above the one that the agent changes next.
            path = os.path.join(workspace, "README.md")
            with open(path, encoding="utf-8") as file:
                lines = file.readlines()
            with open(path, "w", encoding="utf-8") as file:
                file.writelines([lines[0], "\n", "By others.\n", *lines[1:]])
            await call("edit", edits=[{"path": "README.md", "old": "It greets", "new": "The module greets"}])
            await call("edit", edits=[{"path": "src/greet.py", "old": "Hallo", "new": "Hi"}])
            await call("history", job=1)
            await call("undo", job=1, paths=["src/greet.py"], hunks=[1])


def show(name: str, arguments: object, text: str) -> None:
    # The time of an entry differs from run to run.
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "2026-01-01 12:00:00", text)
    print(json.dumps({"name": name, "arguments": arguments, "text": text}))


asyncio.run(main(sys.argv[1], sys.argv[2]))
