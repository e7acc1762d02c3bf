"""Uses a server of the Model Context Protocol in each of its eras through the official Python SDK: mcp_eras.py SERVER WORKSPACE.

The checks are those of `test_eras.py` in mcp-server-git 2026.10.19 (MIT), except the ones about git. That package runs its own
server in the process of the tests, so they cannot be run against another server as they are.
"""

import asyncio
import sys

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, METHOD_NOT_FOUND, PromptReference

MODERN, LEGACY = "2026-07-28", "2025-11-25"
NEGOTIATED = {MODERN: MODERN, "legacy": LEGACY, "auto": MODERN}


async def error_code(call) -> int:
    try:
        result = await call
    except MCPError as error:
        return error.error.code
    raise AssertionError(f"the call was not refused: {result}")


async def listed(client) -> list:
    return [tool.model_dump(by_alias=True, mode="json", exclude_none=True) for tool in (await client.list_tools()).tools]


async def check(client, era: str) -> list:
    assert client.session.protocol_version == NEGOTIATED[era], client.session.protocol_version
    tools = await listed(client)
    assert tools == await listed(client)

    # A tool that fails is a result that the model can read. A tool that does not exist is an error of the protocol.
    for arguments in ({}, {"path": "/etc/passwd"}):
        failed = await client.call_tool("read", arguments)
        assert failed.is_error is True and failed.content[0].text, failed
    assert await error_code(client.call_tool("no_such_tool", {})) == INVALID_PARAMS

    prompt = PromptReference(type="ref/prompt", name="none")
    assert await error_code(client.complete(prompt, {"name": "x", "value": ""})) == METHOD_NOT_FOUND
    # The revision 2026-07-28 has no `ping`.
    if era == "legacy":
        await client.session.send_ping()
    else:
        assert await error_code(client.session.send_ping()) == METHOD_NOT_FOUND

    path = f"{era}.txt"
    created = await client.call_tool("edit", {"edits": [{"path": path, "content": "new\n"}]})
    assert created.is_error is False and created.result_type == "complete", created
    assert "new" in (await client.call_tool("read", {"path": path})).content[0].text
    return tools


async def main(server: str, workspace: str) -> None:
    lists = []
    for era in NEGOTIATED:
        parameters = StdioServerParameters(command=server, args=["--workspace", workspace])
        async with Client(stdio_client(parameters), mode=era) as client:
            lists.append(await check(client, era))
    assert all(tools == lists[0] for tools in lists), "the tools differ by era"


asyncio.run(main(sys.argv[1], sys.argv[2]))
print("each era was served")
