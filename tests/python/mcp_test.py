"""Uses a server of the Model Context Protocol through the official Python SDK: mcp_test.py SERVER WORKSPACE."""

import asyncio
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def text(result) -> str:
    return result.content[0].text


async def main(server: str, workspace: str) -> None:
    parameters = StdioServerParameters(command=server, args=["--workspace", workspace])
    async with stdio_client(parameters) as (reading, writing):
        async with ClientSession(reading, writing) as session:
            await session.initialize()
            names = [tool.name for tool in (await session.list_tools()).tools]
            assert names == ["read", "edit", "undo", "history"], names
            assert "def greet" in text(await session.call_tool("read", {"path": "greet.py"}))
            edits = [{"path": "greet.py", "old": "Bye", "new": "Goodbye"}]
            applied = await session.call_tool("edit", {"edits": edits, "why": "politer"})
            assert "applied" in text(applied), applied
            paths = [f"{number}.txt" for number in range(16)]
            calls = [session.call_tool("edit", {"edits": [{"path": path, "content": path}]}) for path in paths]
            for reply in await asyncio.gather(*calls):
                assert "applied" in text(reply), reply
            undone = await session.call_tool("undo", {})
            assert "undone" in text(undone), undone
            assert "politer" in text(await session.call_tool("history", {"path": "greet.py"}))


asyncio.run(main(sys.argv[1], sys.argv[2]))
print("the official Python client was served")
