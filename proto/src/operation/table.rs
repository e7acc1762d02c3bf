//! The table of operations. A test of the engine applies each example, and the listed fields are those that the engine
//! reads.

use super::{Operation, OperationExample, OperationField};

const NEAR: OperationField = field("near", "line?", "where it should start, if it stands several times");
const WINDOW: OperationField =
    field("window", "number?", "lines around `near` in which one place is taken; 40");
const MATCH: OperationField = field(
    "match",
    "text?",
    "the loosest rung: exact, eol, trailing, indent, numbered, typographic, edge, fuzzy",
);
const THRESHOLD: OperationField = field("threshold", "0.5 to 1?", "similarity that `fuzzy` accepts");
const WHOLE_LINES: OperationField =
    field("whole_lines", "bool?", "only whole lines, given as a list of lines");
const EOL: OperationField =
    field("eol", "text?", "\"literal\" keeps line breaks as given; \"file\" is the default");
const TO_CLIPBOARD: OperationField = field("to_clipboard", "name?", "stores what is replaced");
const FROM_CLIPBOARD: OperationField =
    field("from_clipboard", "name?", "a clipboard instead of the new text");
const REINDENT: OperationField =
    field("reindent", "object?", "{\"strip\": text?, \"add\": text?} for each line of the new text");
const WITHIN: OperationField = field(
    "within",
    "object?",
    "where to look: {\"lines\": [first, last]}, {\"symbol\": \"Class/method\"} or {\"position\": {\"line\": n, \"column\": n}}, both from 0",
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
        purpose: "replaces a quoted text at the one place where it stands, or with `all` everywhere",
        fields: &[
            field("old", "text", "what stands there"),
            field("new", "text", "what takes its place; \"\" removes it"),
            WITHIN,
            NEAR,
            WINDOW,
            MATCH,
            THRESHOLD,
            WHOLE_LINES,
            field("all", "bool?", "every occurrence"),
            field("expect", "number?", "how many places there must be"),
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
        purpose: "adds text; the bytes of an anchor stay as they are",
        fields: &[
            field("text", "text", "what is added"),
            field(
                "at",
                "place",
                "\"start\", \"end\", {\"line\": n} (before it), {\"before\": anchor} or {\"after\": anchor}",
            ),
            field(
                "own_line",
                "bool?",
                "put the text on lines of its own before or after the lines of the anchor",
            ),
            NEAR,
            WINDOW,
            MATCH,
            THRESHOLD,
            field(
                "whole_lines",
                "bool?",
                "with an anchor: only whole lines; at the start or end: the text is lines",
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
        purpose: "writes the whole file, and makes it and its folders where it is missing",
        fields: &[
            field("text", "text", "the content; \"\" empties the file"),
            field("eol", "text?", "\"literal\", which is the default"),
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
        purpose: "replaces lines by their numbers",
        fields: &[
            field("start", "line", "the first, from 1"),
            field("end", "line", "the last, inclusive; `start` - 1 inserts before `start`"),
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
            field("pattern", "text", "literal, or with `regex` a regular expression"),
            field("replacement", "text", "with `regex`, \\1, \\g<name>, \\n and \\t are replaced"),
            field("regex", "bool?", "whether `pattern` is a regular expression"),
            field(
                "flags",
                "text?",
                "of i, m, s, x, a (ASCII classes) with `regex`; o: it may be nowhere; 1: it stands at one place",
            ),
            WITHIN,
            field("count", "number?", "only the first so many"),
            field("expect", "number?", "how many places there must be; it also counts as a quotation"),
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
        purpose: "replaces whole lines between the lines quoted around them; without old lines it inserts",
        fields: &[
            field("before", "text?", "the lines directly before, as one text"),
            field("old", "text", "the lines that go, as one text; \"\" for none, \"\\n\" for one blank line"),
            field("new", "text", "the lines that come; \"\" for none"),
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
        purpose: "applies lines as a diff shows them",
        fields: &[
            field("text", "text", "lines, each with \" \", \"-\" or \"+\" in front"),
            field("at", "place?", "\"end\" or {\"line\": n}, for a hunk that quotes nothing"),
            field("before", "text?", "lines that stand above it, as headers of hunks name them"),
            field("all", "bool?", "the text holds all lines of the file"),
            NEAR,
            WINDOW,
            MATCH,
            THRESHOLD,
            field("in_order", "bool?", "places keep the order of the hunks"),
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
        purpose: "edits one definition, found with the syntax tree",
        fields: &[
            field("name", "name path?", "\"Class/method\", or its last names where they name one"),
            field(
                "within",
                "object?",
                "instead of `name`: {\"symbol\": name path} or {\"position\": {\"line\": n, \"column\": n}}, both from 0",
            ),
            field("action", "text", "replace_body, replace, insert_before, insert_after or delete"),
            field("text", "text?", "what comes; not with `delete`"),
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
        purpose: "makes a new file with this text; refused where a file is",
        fields: &[
            field("text", "text?", "the content; empty where absent"),
            field("if_empty", "bool?", "an empty file that is there is filled"),
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
        purpose: "gives the file another path",
        fields: &[field("to", "path", "the new path"), field("overwrite", "bool?", "replace what is there")],
        examples: &[OperationExample {
            edit: r#"{"op": "rename", "to": "hello.py"}"#,
            before: Some(GREET),
            after: None,
        }],
        of_several: None,
    },
    Operation {
        name: "copy",
        purpose: "puts a copy of the file at another path",
        fields: &[
            field("to", "path", "the path of the copy"),
            field("overwrite", "bool?", "replace what is there"),
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
