"""An edit tool for an agent: replaces a quoted text in a file, and answers with a text for the model.

Run it in a workspace: python edit_tool.py PATH OLD NEW
"""

import os
import sys
from typing import Tuple

from editd import Client, EditdError, FileEdits, RefusedError


def edit_tool(client: Client, path: str, old: str, new: str, why: str) -> Tuple[str, bool]:
    """Returns the answer of the tool, and true if it is an error."""
    files: FileEdits
    if old:
        files = {"path": path, "edits": {"op": "replace", "old": old, "new": new}}
    else:
        files = {"path": path, "edits": {"op": "create", "text": new}}
    try:
        receipt = client.edit(files, label=why)
    except RefusedError as error:
        # The text shows what changed, or the nearest text: the model can try again without another read.
        return error.describe(), True
    except EditdError as error:
        return f"the edit failed: {error}", True
    changed = [f"{os.fsdecode(file['path'])} line {file.get('lines', '-')}" for file in receipt.get("files", [])]
    warnings = [warning for file in receipt.get("files", []) for warning in file.get("warnings", [])]
    return "\n".join([f"{receipt['status']}: {', '.join(changed)}", *warnings]), False


if __name__ == "__main__":
    # An agent keeps the client as long as it runs. Edits are merged into the changes of others.
    with Client(on_stale="rebase") as client:
        path, old, new = sys.argv[1:]
        text, failed = edit_tool(client, path, old, new, why="asked for by the user")
    print(text)
    sys.exit(failed)
