"""Serves the text editor of the package `openhands-aci` over the Model Context Protocol, as far as the comparison
needs it. The editor follows Anthropic's reference of the tool `str_replace_based_edit_tool`."""

import json
import sys

from openhands_aci.editor import OHEditor, ToolError

editor = OHEditor()


def call(arguments: dict) -> dict:
    try:
        result = editor(**arguments)
        failed, text = bool(result.error), result.error or result.output
    except ToolError as error:
        failed, text = True, error.message
    return {"content": [{"type": "text", "text": text}], "isError": failed}


for line in sys.stdin:
    message = json.loads(line)
    method = message["method"]
    if method == "initialize":
        version = message["params"]["protocolVersion"]
        info = {"name": "text-editor", "version": "1"}
        result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
    elif method == "tools/list":
        # The schema of this tool is known to the model.
        result = {"tools": []}
    elif method == "tools/call":
        result = call(message["params"]["arguments"])
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
