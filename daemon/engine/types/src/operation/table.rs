//! The table of operations. The engine refuses a field that is not listed here, and a test of the engine applies each
//! example.

use super::{Operation, OperationExample, OperationField};

const NEAR: OperationField =
    field("near", "line?", "the line at which it should start, if there are several places");
const WINDOW: OperationField =
    field("window", "number?", "lines around `near` in which a single place is accepted; default 40");
const MATCH: OperationField = field(
    "match",
    "text?",
    "the loosest rung allowed: exact, eol, trailing, indent, numbered, typographic, edge, fuzzy",
);
const THRESHOLD: OperationField = field("threshold", "0.5 to 1?", "the similarity that `fuzzy` accepts");
const WHOLE_LINES: OperationField = field("whole_lines", "bool?", "compare and replace whole lines only");
const EOL: OperationField = field("eol", "text?", "\"literal\" keeps line breaks as given; default \"file\"");
const TO_CLIPBOARD: OperationField =
    field("to_clipboard", "name?", "the clipboard that stores the replaced text");
const FROM_CLIPBOARD: OperationField =
    field("from_clipboard", "name?", "the clipboard that supplies the new text");
const REINDENT: OperationField = field(
    "reindent",
    "object?",
    "{\"strip\": text?, \"add\": text?}: prefixes to remove from and add to each new line",
);
const WITHIN: OperationField = field(
    "within",
    "object?",
    "limits the search: {\"lines\": [first, last]}, {\"symbol\": \"Class/method\"} or {\"position\": {\"line\": n, \"column\": n}} (both from 0)",
);

/// The file `greet.py` of most examples.
pub(super) const GREET: &str =
    "def greet(name):\n    return \"Hello \" + name\n\n\ndef leave():\n    return \"Bye\"\n";

const fn field(name: &'static str, takes: &'static str, meaning: &'static str) -> OperationField {
    OperationField { name, takes, meaning }
}

const fn of_greet(edit: &'static str, after: &'static str) -> OperationExample {
    OperationExample { edit, before: Some(GREET), after: Some(after) }
}

/// All operations.
pub const OPERATIONS: &[Operation] = &[
    Operation {
        name: "replace",
        purpose: "replaces a quoted text at its only place, or with `all` at every place",
        fields: &[
            field("old", "text", "the quoted text"),
            field("new", "text", "the new text; \"\" removes the old one"),
            WITHIN,
            NEAR,
            WINDOW,
            MATCH,
            THRESHOLD,
            WHOLE_LINES,
            field(
                "own_line",
                "bool?",
                "with an empty `new`: a line of which nothing is left is removed with its line break",
            ),
            field("all", "bool?", "replace every occurrence"),
            field("expect", "number?", "the number of places that there must be"),
            EOL,
            TO_CLIPBOARD,
            FROM_CLIPBOARD,
            REINDENT,
        ],
        examples: &[
            of_greet(
                r#"{"op": "replace", "old": "\"Bye\"", "new": "\"Goodbye\""}"#,
                "def greet(name):\n    return \"Hello \" + name\n\n\ndef leave():\n    return \"Goodbye\"\n",
            ),
            of_greet(
                r#"{"op": "replace", "old": "return", "new": "yield", "within": {"symbol": "leave"}}"#,
                "def greet(name):\n    return \"Hello \" + name\n\n\ndef leave():\n    yield \"Bye\"\n",
            ),
        ],
        of_several: None,
    },
    Operation {
        name: "insert",
        purpose: "adds text; the anchor itself stays unchanged",
        fields: &[
            field("text", "text", "the text to add"),
            field(
                "at",
                "place",
                "\"start\", \"end\", {\"line\": n} (before it), {\"before\": anchor} or {\"after\": anchor}",
            ),
            field(
                "own_line",
                "bool?",
                "put the text on lines of its own, before or after the lines of the anchor",
            ),
            NEAR,
            WINDOW,
            MATCH,
            THRESHOLD,
            field(
                "whole_lines",
                "bool?",
                "with an anchor: compare whole lines only; at the start or end: add whole lines",
            ),
            EOL,
            FROM_CLIPBOARD,
            REINDENT,
        ],
        examples: &[
            of_greet(
                r##"{"op": "insert", "at": {"before": "def leave"}, "text": "# Bye.\n"}"##,
                "def greet(name):\n    return \"Hello \" + name\n\n\n# Bye.\ndef leave():\n    return \"Bye\"\n",
            ),
            of_greet(
                r#"{"op": "insert", "at": {"after": "\"Hello \" + name"}, "text": "    # never reached", "own_line": true}"#,
                "def greet(name):\n    return \"Hello \" + name\n    # never reached\n\n\ndef leave():\n    return \"Bye\"\n",
            ),
            of_greet(
                r#"{"op": "insert", "at": {"line": 1}, "text": "import sys\n"}"#,
                "import sys\ndef greet(name):\n    return \"Hello \" + name\n\n\ndef leave():\n    return \"Bye\"\n",
            ),
        ],
        of_several: None,
    },
    Operation {
        name: "write",
        purpose: "writes the whole file; makes it and its folders if it does not exist",
        fields: &[
            field("text", "text", "the content; \"\" empties the file"),
            field(
                "eol",
                "text?",
                "\"file\" gives a text without `\\r` the line breaks of the file; default \"literal\"",
            ),
            FROM_CLIPBOARD,
            REINDENT,
        ],
        examples: &[OperationExample {
            edit: r#"{"op": "write", "text": "one\ntwo\n"}"#,
            before: None,
            after: Some("one\ntwo\n"),
        }],
        of_several: None,
    },
    Operation {
        name: "lines",
        purpose: "replaces lines by number",
        fields: &[
            field("start", "line", "the first line, from 1"),
            field("end", "line", "the last line, inclusive; `start` - 1 inserts before `start`"),
            field("text", "text", "the new lines; \"\" removes them"),
            EOL,
            TO_CLIPBOARD,
            FROM_CLIPBOARD,
            REINDENT,
        ],
        examples: &[
            of_greet(
                r#"{"op": "lines", "start": 6, "end": 6, "text": "    return \"Goodbye\"\n"}"#,
                "def greet(name):\n    return \"Hello \" + name\n\n\ndef leave():\n    return \"Goodbye\"\n",
            ),
            of_greet(
                r#"{"op": "lines", "start": 1, "end": 0, "text": "import sys\n"}"#,
                "import sys\ndef greet(name):\n    return \"Hello \" + name\n\n\ndef leave():\n    return \"Bye\"\n",
            ),
        ],
        of_several: None,
    },
    Operation {
        name: "substitute",
        purpose: "replaces every occurrence of a text or a regular expression",
        fields: &[
            field("pattern", "text", "a literal text, or with `regex` a regular expression"),
            field(
                "replacement",
                "text",
                "the new text; with `regex`, \\1, \\g<name>, \\n and \\t are expanded",
            ),
            field("regex", "bool?", "`pattern` is a regular expression"),
            field(
                "flags",
                "text?",
                "i, m, s, x, a (ASCII classes), with `regex`; o: no place is not an error; 1: exactly one place",
            ),
            WITHIN,
            field("count", "number?", "replace only this many, from the start"),
            field("expect", "number?", "the number of places that there must be; counts as a quotation"),
            EOL,
        ],
        examples: &[
            of_greet(
                r#"{"op": "substitute", "pattern": "\\bname\\b", "replacement": "person", "regex": true, "expect": 2}"#,
                "def greet(person):\n    return \"Hello \" + person\n\n\ndef leave():\n    return \"Bye\"\n",
            ),
            of_greet(
                r#"{"op": "substitute", "pattern": "return", "replacement": "yield", "within": {"lines": [5, 6]}}"#,
                "def greet(name):\n    return \"Hello \" + name\n\n\ndef leave():\n    yield \"Bye\"\n",
            ),
        ],
        of_several: Some(
            r#"{"paths": ["lib/**/*.py", "greet.py"], "edits": [{"op": "substitute", "pattern": "name", "replacement": "person", "expect": 5}]}"#,
        ),
    },
    Operation {
        name: "chunk",
        purpose: "replaces whole lines between quoted context lines; without old lines it inserts",
        fields: &[
            field("before", "text?", "the lines directly before, as one text"),
            field(
                "old",
                "text",
                "the lines to remove, as one text; \"\" for none, \"\\n\" for one blank line",
            ),
            field("new", "text", "the new lines; \"\" for none"),
            field("after", "text?", "the lines directly after"),
            WITHIN,
        ],
        examples: &[
            of_greet(
                r#"{"op": "chunk", "before": "def leave():", "old": "    return \"Bye\"", "new": "    return \"Goodbye\""}"#,
                "def greet(name):\n    return \"Hello \" + name\n\n\ndef leave():\n    return \"Goodbye\"\n",
            ),
            of_greet(
                r#"{"op": "chunk", "old": "", "new": "    # politely", "before": "def leave():\n", "within": {"symbol": "leave"}}"#,
                "def greet(name):\n    return \"Hello \" + name\n\n\ndef leave():\n    # politely\n    return \"Bye\"\n",
            ),
            of_greet(
                r#"{"op": "chunk", "old": "    return \"Bye\"\n", "new": "", "after": "", "within": {"lines": [5, 6]}}"#,
                "def greet(name):\n    return \"Hello \" + name\n\n\ndef leave():\n",
            ),
            of_greet(
                r#"{"op": "chunk", "old": "    return \"Bye\"\n", "new": "    pass\n", "within": {"position": {"line": 4, "column": 4}}}"#,
                "def greet(name):\n    return \"Hello \" + name\n\n\ndef leave():\n    pass\n",
            ),
        ],
        of_several: None,
    },
    Operation {
        name: "hunk",
        purpose: "applies a hunk of a diff",
        fields: &[
            field(
                "text",
                "text",
                "lines, each with \" \" (context), \"-\" (removed) or \"+\" (added) in front",
            ),
            field("at", "place?", "\"end\" or {\"line\": n}, for a hunk without context and removed lines"),
            field("before", "text?", "lines somewhere above the hunk, as in the headers of hunks"),
            field("all", "bool?", "the hunk has all lines of the file"),
            NEAR,
            WINDOW,
            MATCH,
            THRESHOLD,
            field("in_order", "bool?", "the hunk is below the previous hunk of the entry"),
            EOL,
        ],
        examples: &[of_greet(
            r#"{"op": "hunk", "text": " def leave():\n-    return \"Bye\"\n+    return \"Goodbye\"\n"}"#,
            "def greet(name):\n    return \"Hello \" + name\n\n\ndef leave():\n    return \"Goodbye\"\n",
        )],
        of_several: None,
    },
    Operation {
        name: "symbol",
        purpose: "edits one definition, found by the syntax tree",
        fields: &[
            field("name", "name path?", "\"Class/method\", or its last names if only one symbol has them"),
            field(
                "within",
                "object?",
                "instead of `name`: {\"symbol\": name path} or {\"position\": {\"line\": n, \"column\": n}} (both from 0)",
            ),
            field("action", "text", "replace_body, replace, insert_before, insert_after or delete"),
            field("text", "text?", "the new text; not with `delete`"),
            EOL,
            TO_CLIPBOARD,
            FROM_CLIPBOARD,
            REINDENT,
        ],
        examples: &[
            of_greet(
                r#"{"op": "symbol", "name": "leave", "action": "replace_body", "text": "return \"Goodbye\""}"#,
                "def greet(name):\n    return \"Hello \" + name\n\n\ndef leave():\n    return \"Goodbye\"\n",
            ),
            of_greet(
                r#"{"op": "symbol", "name": "greet", "action": "delete"}"#,
                "def leave():\n    return \"Bye\"\n",
            ),
        ],
        of_several: None,
    },
    Operation {
        name: "create",
        purpose: "makes a new file; refused if the file exists",
        fields: &[
            field("text", "text?", "the content; default empty"),
            field("if_empty", "bool?", "fill the file if it exists and is empty"),
        ],
        examples: &[OperationExample {
            edit: r#"{"op": "create", "text": "one\n"}"#,
            before: None,
            after: Some("one\n"),
        }],
        of_several: None,
    },
    Operation {
        name: "delete",
        purpose: "removes the file",
        fields: &[],
        examples: &[OperationExample { edit: r#"{"op": "delete"}"#, before: Some(GREET), after: None }],
        of_several: None,
    },
    Operation {
        name: "rename",
        purpose: "moves the file to another path",
        fields: &[
            field("to", "path", "the new path"),
            field("overwrite", "bool?", "replace a file at the new path"),
        ],
        examples: &[OperationExample {
            edit: r#"{"op": "rename", "to": "hello.py"}"#,
            before: Some(GREET),
            after: None,
        }],
        of_several: None,
    },
    Operation {
        name: "copy",
        purpose: "copies the file to another path",
        fields: &[
            field("to", "path", "the path of the copy"),
            field("overwrite", "bool?", "replace a file at the new path"),
        ],
        examples: &[of_greet(r#"{"op": "copy", "to": "hello.py"}"#, GREET)],
        of_several: None,
    },
    Operation {
        name: "chmod",
        purpose: "sets the permission bits",
        fields: &[field("mode", "text", "octal digits, such as \"755\"")],
        examples: &[of_greet(r#"{"op": "chmod", "mode": "755"}"#, GREET)],
        of_several: None,
    },
];
