//! The recipes of daemon/ARCHITECTURE.md, compared with the files that name the newest of each kind: each of them is a step
//! of the recipe, and each step names it.

use std::collections::BTreeSet;

use editd_tests::checkout::Checkout;

use super::architecture::{is_path, spans};
use super::links::{links, target};
use super::places::{quoted, requests};
use super::{none, one, tree};

const PAGE: &str = "daemon/ARCHITECTURE.md";
/// The folders to which paths in backticks are relative. Names without a folder are in the folder that was named last.
const ROOTS: [&str; 3] = ["", "daemon/", "daemon/src/"];

/// A recipe, and the newest that were added by it.
struct Recipe {
    /// The beginning of its text.
    title: &'static str,
    /// Returns the number of its kind.
    count: fn(&Checkout) -> usize,
    /// The number when `newest` was brought up to date.
    known: usize,
    /// The newest ones. There are two if the newest needed no step of a condition that the recipe has.
    newest: &'static [Newest],
    /// Beginnings of paths that use them without being a step.
    users: &'static [&'static str],
    /// Steps that none of them needed, or that have them in other words.
    unnamed: &'static [&'static str],
}

/// The newest of a kind. A file or folder with its name is its own.
struct Newest {
    name: &'static str,
    /// The words that name it, each with the beginning of the paths in which it means nothing else.
    words: &'static [(&'static str, &'static str)],
}

const ANYWHERE: &str = "";

const RECIPES: &[Recipe] = &[
    Recipe {
        title: "*An edit kind*:",
        count: |tree| {
            quoted(tree, "daemon/engine/types/src/operation/table.rs", "        name: \"", "").len()
        },
        known: 13,
        newest: &[
            Newest {
                name: "symbol",
                words: &[
                    ("daemon/engine/src/", "Op::Symbol"),
                    ("daemon/engine/src/op/", "Self::Symbol"),
                    ("daemon/engine/src/op/", "symbol::"),
                    ("daemon/engine/src/op/", "mod symbol;"),
                    ("daemon/engine/src/op/", "(\"symbol\""),
                    ("daemon/engine/types/src/operation/", "name: \"symbol\""),
                    (ANYWHERE, "op: \"symbol\""),
                    (ANYWHERE, "\"op\": \"symbol\""),
                    (ANYWHERE, "Literal[\"symbol\"]"),
                    (ANYWHERE, "| `symbol` |"),
                ],
            },
            Newest {
                name: "hunk",
                words: &[
                    ("daemon/engine/src/", "Op::Hunk"),
                    ("daemon/engine/src/op/", "Self::Hunk"),
                    ("daemon/engine/src/", "hunk::"),
                    ("daemon/engine/src/op/", "mod hunk;"),
                    ("daemon/", "\"hunk\""),
                    ("client/python/", "\"hunk\""),
                    ("client/typescript/", "\"hunk\""),
                    (ANYWHERE, "| `hunk` |"),
                ],
            },
        ],
        users: &[
            "client/mcp/",
            "client/src/",
            "client/typescript/test/",
            "daemon/docs/symbols.md",
            "daemon/engine/src/dialect/",
            "daemon/engine/src/op/within.rs",
            "daemon/engine/tests/",
            "tests/",
        ],
        unnamed: &[
            "daemon/engine/src/op/fields.rs",
            "daemon/engine/src/plan/combine.rs",
            "daemon/engine/tests/properties.rs",
            "daemon/engine/types/src/edit.rs",
            "proto/tests/wire/samples.rs",
        ],
    },
    Recipe {
        title: "*A rung*:",
        count: |tree| {
            quoted(tree, "daemon/engine/src/locate/ladder.rs", "LadderStep::new(Rung::", ", \"").len()
        },
        known: 8,
        newest: &[
            Newest {
                name: "fuzzy",
                words: &[
                    (ANYWHERE, "Rung::Fuzzy"),
                    ("daemon/engine/src/locate/", "fuzzy::"),
                    ("daemon/engine/src/locate/", "mod fuzzy;"),
                    ("daemon/engine/types/src/operation/", "fuzzy"),
                    ("daemon/docs/", "| `fuzzy` |"),
                    (ANYWHERE, "\"fuzzy\""),
                ],
            },
            Newest {
                name: "typographic",
                words: &[(ANYWHERE, "typographic"), (ANYWHERE, "Rung::Typographic")],
            },
        ],
        users: &[
            "daemon/engine/src/dialect/",
            "daemon/engine/src/op/hunk/",
            "proto/tests/wire/samples.rs",
            "tests/benches/",
        ],
        unnamed: &["daemon/engine/tests/ladder.rs", "tests/src/generator/disturb.rs"],
    },
    Recipe {
        title: "*A dialect*:",
        count: |tree| rows(tree, "daemon/engine/src/dialect/registry.rs"),
        known: 8,
        newest: &[Newest {
            name: "ranges",
            words: &[
                ("daemon/engine/src/dialect/", "mod ranges;"),
                ("tests/src/generator/", "mod ranges;"),
                (ANYWHERE, "ranges::Ranges"),
                (ANYWHERE, "ranges::RangesPrinter"),
                (ANYWHERE, "\"ranges\""),
                ("daemon/docs/", "| `ranges` |"),
            ],
        }],
        users: &["tests/src/generator/tests.rs", "tests/suite/"],
        unnamed: &[],
    },
    Recipe {
        title: "*An edit tool of an agent*",
        count: |tree| rows(tree, "daemon/engine/src/dialect/tools/table.rs"),
        known: 5,
        newest: &[Newest {
            name: "serena",
            words: &[(ANYWHERE, "serena"), (ANYWHERE, "SERENA"), (ANYWHERE, "SerenaContentPrinter")],
        }],
        users: &["client/docs/mcp.md", "client/mcp/src/toolsets/", "tests/suite/mcp/"],
        unnamed: &[],
    },
    Recipe {
        title: "*A request*:",
        count: |tree| requests(tree).len(),
        known: 24,
        newest: &[
            Newest {
                name: "checks",
                words: &[
                    (ANYWHERE, "ChecksRequest"),
                    (ANYWHERE, "ChecksReply"),
                    (ANYWHERE, "kind::CHECKS"),
                    ("proto/src/", "const CHECKS"),
                    ("proto/src/", "mod checks;"),
                    ("proto/", "## `checks`"),
                    ("proto/", ": `checks`"),
                    ("daemon/src/ipc/", "mod checks;"),
                    ("daemon/src/ipc/", "CheckProvider"),
                    ("client/src/", "mod checks;"),
                    ("client/src/", "Command::Checks"),
                    ("client/src/args/", "\"checks"),
                    ("client/docs/", "editctl checks"),
                    ("client/", "| `checks"),
                    ("client/python/", "\"checks\""),
                    ("client/python/", "def checks"),
                    ("client/typescript/", "\"checks\""),
                    ("client/typescript/", ".checks("),
                ],
            },
            Newest {
                name: "mark",
                words: &[
                    (ANYWHERE, "MarkRequest"),
                    (ANYWHERE, "MarkReply"),
                    (ANYWHERE, "kind::MARK"),
                    ("proto/src/", "const MARK"),
                    ("proto/src/", "mod mark;"),
                    ("proto/", "## `mark`"),
                    ("proto/", ": `mark`"),
                    ("daemon/src/workspace/", "mod mark;"),
                    ("client/src/", "Command::Mark"),
                    ("client/src/args/", "\"mark"),
                    ("client/src/", "MarkArgs"),
                    ("client/docs/", "editctl mark"),
                    ("client/", "| `mark"),
                    ("client/python/", "\"mark\""),
                    ("client/python/", "def mark"),
                    ("client/typescript/", "\"mark\""),
                    ("client/typescript/", ".mark("),
                ],
            },
        ],
        users: &["client/mcp/", "tests/suite/"],
        unnamed: &[],
    },
];

/// Returns the number of rows of a table of references.
fn rows(tree: &Checkout, file: &str) -> usize {
    let lines = tree.get(file).unwrap_or_default().lines();
    lines.filter(|line| line.starts_with("    &") && line.ends_with(',')).count()
}

/// Returns the text of a recipe, to the beginning of the next one.
fn text<'p>(page: &'p str, title: &str) -> Option<&'p str> {
    let (_, rest) = page.split_once(&format!("\n{title}"))?;
    Some(rest.split("\n*A").next().unwrap_or(rest))
}

/// Returns the files and folders that a recipe names, in backticks or as links.
fn steps(tree: &Checkout, text: &str) -> BTreeSet<String> {
    let exists = |path: &str| {
        tree.all()
            .any(|(name, _)| name.strip_prefix(path).is_some_and(|r| r.is_empty() || r.starts_with('/')))
    };
    let mut found = BTreeSet::new();
    let mut folder = String::new();
    for span in text.lines().flat_map(spans) {
        let in_folder = format!("{folder}/{span}");
        let path = match is_path(span) {
            true => {
                ROOTS.iter().map(|root| format!("{root}{}", span.trim_end_matches('/'))).find(|p| exists(p))
            }
            false => (span.contains('.') && exists(&in_folder)).then_some(in_folder),
        };
        let Some(path) = path else { continue };
        let is_file = tree.get(&path).is_some();
        folder = if is_file {
            path.rsplit_once('/').map_or("", |(parent, _)| parent).to_owned()
        } else {
            path.clone()
        };
        found.insert(path);
    }
    found.extend(links(text).iter().filter_map(|link| target(PAGE, link.file)));
    found
}

impl Newest {
    /// Returns true for a file that is called after it, or is in a folder that is.
    fn owns(&self, file: &str) -> bool {
        file.split('/').any(|part| part.split('.').next().is_some_and(|stem| stem == self.name))
    }

    fn is_named_in(&self, file: &str, text: &str) -> bool {
        let words: Vec<&str> =
            self.words.iter().filter(|(scope, _)| file.starts_with(scope)).map(|(_, word)| *word).collect();
        let is_comment = |line: &str| file.ends_with(".rs") && line.trim_start().starts_with("//");
        let mut lines = text.lines().filter(|line| !is_comment(line));
        lines.any(|line| words.iter().any(|word| contains(line, word)))
    }
}

fn contains(line: &str, word: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = word.starts_with(is_word) && line[..at].ends_with(is_word);
        let after = word.ends_with(is_word) && line[at + word.len()..].starts_with(is_word);
        !before && !after
    })
}

/// Returns the files that name one of the newest, besides their own, their users and the cases.
fn places<'t>(tree: &'t Checkout, recipe: &Recipe) -> BTreeSet<&'t str> {
    let newest = recipe.newest;
    let is_data = |file: &str| {
        file.contains("/cases/") || ["CHANGELOG.md", "tests/suite/tidy/recipes.rs"].contains(&file)
    };
    let is_other = |file: &str| {
        !is_data(file)
            && !newest.iter().any(|one| one.owns(file))
            && !recipe.users.iter().any(|user| file.starts_with(user))
    };
    let others = tree.all().filter(|(file, _)| is_other(file));
    others
        .filter(|(file, text)| newest.iter().any(|one| one.is_named_in(file, text)))
        .map(|(file, _)| file)
        .collect()
}

fn differences(tree: &Checkout, recipe: &Recipe) -> Vec<String> {
    let Recipe { title, known, newest, unnamed, .. } = recipe;
    let Some(text) = text(tree.get(PAGE).unwrap_or_default(), title) else {
        return vec![format!("{PAGE}: there is no recipe {title}")];
    };
    let count = (recipe.count)(tree);
    let stale = (count != *known).then(|| {
        format!("{title} there are {count} instead of {known}: give the newest one a row in `recipes.rs`")
    });
    let places = places(tree, recipe);
    let steps = steps(tree, text);
    let missing = places.iter().filter(|file| !steps.contains(**file));
    let missing = missing.map(|file| format!("{title} {file} names the newest one, but is no step"));
    let owned = |step: &str| {
        let below = |file: &str| file.strip_prefix(step).is_some_and(|rest| rest.starts_with('/'));
        let mut files = tree.all().map(|(file, _)| file).filter(|file| below(file));
        files.any(|file| newest.iter().any(|one| one.owns(file)))
    };
    let names = |step: &str| places.contains(step) || owned(step);
    let idle = steps.iter().filter(|step| !names(step) && !unnamed.contains(&step.as_str()));
    let idle = idle.map(|step| format!("{title} the step {step} does not name the newest one"));
    let wrong = unnamed.iter().filter(|step| names(step) || !steps.contains(**step));
    let wrong =
        wrong.map(|step| format!("{title} {step} is no step, or names the newest one: it is not `unnamed`"));
    stale.into_iter().chain(missing).chain(idle).chain(wrong).collect()
}

#[test]
fn a_recipe_lists_the_files_that_name_the_newest() {
    let tree = tree();
    none(RECIPES.iter().flat_map(|recipe| differences(&tree, recipe)).collect());
}

#[test]
fn a_recipe_that_differs_from_the_files_is_found() {
    let recipe = |known, unnamed| Recipe {
        title: "*A dish*:",
        count: |tree| rows(tree, "daemon/src/menu.rs"),
        known,
        newest: &[Newest { name: "soup", words: &[("daemon/", "soup::"), (ANYWHERE, "\"soup\"")] }],
        users: &["daemon/src/guest.rs"],
        unnamed,
    };
    let found = |page: &str, recipe: &Recipe| {
        let page = format!("\n*A table*: `a/b`\n\n*A dish*: {page}\n\n*A drink*: `c/d`\n");
        let menu = "    &bread::Bread,\n    &soup::Soup,\n";
        let sample = Checkout::sample(&[
            (PAGE, &page),
            ("daemon/src/dish/soup.rs", "use super::soup::Pot;"),
            ("daemon/src/menu.rs", menu),
            ("daemon/src/tax.rs", "// soup::Pot\nfn a() { onionsoup::eat(); }"),
            ("daemon/src/guest.rs", "soup::eat();"),
            ("client/card.py", "NAME = \"soup\""),
            ("tests/eat.rs", "soup::eat();"),
        ]);
        differences(&sample, recipe)
    };
    none(found(
        "a file in `src/dish/`, a row in `src/menu.rs`, [a card](../client/card.py)",
        &recipe(2, &[]),
    ));
    none(found(
        "in `src/dish/` and `client/card.py`, `src/menu.rs` and `tax.rs` there (`dish` too)",
        &recipe(2, &["daemon/src/tax.rs"]),
    ));
    let two = "`src/dish/`, `src/menu.rs`";
    one(&found(two, &recipe(2, &[])), "client/card.py names the newest one, but is no step");
    let all = format!("{two}, `client/card.py`");
    one(&found(&all, &recipe(1, &[])), "there are 2 instead of 1");
    one(&found(&format!("{all}, `src/tax.rs`"), &recipe(2, &[])), "the step daemon/src/tax.rs does not name");
    one(&found(&all, &recipe(2, &["daemon/src/tax.rs"])), "daemon/src/tax.rs is no step");
    one(&found(&all, &Recipe { title: "*A cake*:", ..recipe(2, &[]) }), "there is no recipe *A cake*:");
}
