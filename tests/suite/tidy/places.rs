//! The places in which every edit kind, rung, dialect and request must be named, although the compiler asks for none of
//! them. Each is a step of a recipe in daemon/ARCHITECTURE.md.

use editd_tests::checkout::Checkout;

use super::{none, one, tree};

/// The names of one kind, and the places of each.
struct Naming {
    /// The kind.
    subject: &'static str,
    /// Returns all names.
    names: fn(&Checkout) -> Vec<String>,
    places: &'static [Place],
}

/// The beginning of paths, and the form in which one of these files has the name.
type Place = (&'static str, Form);

/// The form of a name.
enum Form {
    /// This text, in which `{}` is the name, and `{^}` the name in capitals.
    Text(&'static str),
    /// A row of the table below this heading. Its first cell has the name.
    Row(&'static str),
}

const NAMINGS: &[Naming] = &[
    Naming {
        subject: "edit kind",
        names: |tree| quoted(tree, "daemon/engine/types/src/operation/table.rs", "        name: \"", ""),
        places: &[
            ("daemon/docs/edit-language.md", Form::Row("Operations")),
            ("proto/WIRE.md", Form::Row("Operations")),
            ("daemon/engine/cases/", Form::Text("\"op\": \"{}\"")),
            ("client/python/src/editd/edits.py", Form::Text("\"{}\"")),
            ("client/typescript/src/edits.ts", Form::Text("\"{}\"")),
        ],
    },
    Naming {
        subject: "rung",
        names: |tree| quoted(tree, "daemon/engine/src/locate/ladder.rs", "LadderStep::new(Rung::", ", \""),
        places: &[
            ("daemon/docs/edit-language.md", Form::Row("Locating quoted text")),
            ("daemon/engine/cases/", Form::Text("\"match\": \"{}\"")),
            ("client/python/src/editd/edits.py", Form::Text("\"{}\"")),
            ("client/typescript/src/edits.ts", Form::Text("\"{}\"")),
        ],
    },
    Naming {
        subject: "dialect",
        names: |_| editd_engine::dialect::list().map(|(name, _)| name.to_owned()).collect(),
        places: &[
            ("daemon/docs/dialects.md", Form::Row("The dialects")),
            ("tests/src/generator/printers/", Form::Text("\"{}\"")),
        ],
    },
    Naming {
        subject: "request",
        names: requests,
        places: &[
            ("proto/WIRE.md", Form::Text("[`{}`](#{})")),
            ("proto/WIRE.md", Form::Text("\n## `{}`\n")),
            ("proto/tests/wire/messages.rs", Form::Text("kind::{^},")),
            ("daemon/src/ipc/requests.rs", Form::Text("of(kind::{^}, ")),
            ("client/src/connection/requests.rs", Form::Text("kind::{^},")),
        ],
    },
    Naming { subject: "message", names: messages, places: &[("proto/tests/wire/", Form::Text("{}"))] },
];

/// The text in quotes behind each occurrence of `before` and the next `between` in a line of a file.
pub(super) fn quoted(tree: &Checkout, file: &str, before: &str, between: &str) -> Vec<String> {
    let lines = tree.get(file).unwrap_or_default().lines();
    let name = |line: &str| {
        let (_, after) = line.split_once(before)?;
        let (_, after) = after.split_once(between)?;
        Some(after.split_once('"')?.0.to_owned())
    };
    lines.filter_map(name).collect()
}

/// The kinds of messages that a client sends. `hello` is none of the table: it opens the connection.
pub(super) fn requests(tree: &Checkout) -> Vec<String> {
    let mut kinds = quoted(tree, "proto/src/message/mod.rs", "    pub const ", ": &str = \"");
    kinds.retain(|kind| !["hello", "error", "event"].contains(&kind.as_str()));
    kinds
}

/// The types of requests and replies.
fn messages(tree: &Checkout) -> Vec<String> {
    let files = tree.all().filter(|(name, _)| name.starts_with("proto/src/message/"));
    let types = files.flat_map(|(_, text)| text.lines().filter_map(|line| line.strip_prefix("pub struct ")));
    let names = types.filter_map(|rest| rest.split([' ', '<', ';']).next());
    names.filter(|name| name.ends_with("Request") || name.ends_with("Reply")).map(str::to_owned).collect()
}

fn has(text: &str, form: &Form, name: &str) -> bool {
    match form {
        Form::Text(form) => text.contains(&form.replace("{^}", &name.to_uppercase()).replace("{}", name)),
        Form::Row(heading) => {
            let below = text.split_once(&format!("# {heading}\n")).map_or("", |(_, below)| below);
            let section = below.split_once("\n#").map_or(below, |(section, _)| section);
            let cells = section.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
            cells.into_iter().any(|cell| cell.contains(&format!("`{name}`")))
        }
    }
}

fn forgotten(tree: &Checkout, namings: &[Naming]) -> Vec<String> {
    let mut complaints = Vec::new();
    for Naming { subject, names, places } in namings {
        let names = names(tree);
        if names.is_empty() {
            complaints.push(format!("no {subject} was found: bring its row up to date"));
        }
        for (name, (path, form)) in
            names.iter().flat_map(|name| places.iter().map(move |place| (name, place)))
        {
            let mut files = tree.all().filter(|(file, _)| file.starts_with(path));
            if !files.any(|(_, text)| has(text, form, name)) {
                let wanted = match form {
                    Form::Text(form) => form.replace("{^}", &name.to_uppercase()).replace("{}", name),
                    Form::Row(heading) => format!("a row in the table of `{heading}`"),
                };
                complaints.push(format!("{path} lacks the {subject} `{name}`: add {}", wanted.trim()));
            }
        }
    }
    complaints
}

#[test]
fn every_one_is_named_in_each_place() {
    none(forgotten(&tree(), NAMINGS));
    let naming = Naming {
        subject: "dish",
        names: |tree| quoted(tree, "menu.rs", "dish(", "\""),
        places: &[("doc/", Form::Text("{^}")), ("page.md", Form::Row("Dishes"))],
    };
    let page = "# Dishes\n\n| name | price |\n|---|---|\n| `soup` | 1 |\n\n## Cakes\n\n| `pie` | 2 |\n";
    let menu = "dish(\"soup\");\ndish(\"pie\");\n";
    let sample = Checkout::sample(&[("menu.rs", menu), ("page.md", page), ("doc/a.md", "SOUP and PIE")]);
    one(&forgotten(&sample, &[naming]), "page.md lacks the dish `pie`: add a row in the table of `Dishes`");
    let naming = Naming { subject: "dish", names: |_| Vec::new(), places: &[] };
    one(&forgotten(&sample, &[naming]), "no dish was found");
}
