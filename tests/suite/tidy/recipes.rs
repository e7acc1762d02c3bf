//! The recipes of daemon/ARCHITECTURE.md, tested on the newest of each kind: the number of files that name it outside its
//! own. A file that a newcomer must find and change is a step of the recipe, so the number may only shrink.

use editd_tests::checkout::{Checkout, is_test};

use super::{none, one, tree};

/// The newest thing that was added by a recipe.
struct Recipe {
    /// The subject of the recipe, and the newest one.
    newest: &'static str,
    /// Its own files: folders and files whose paths begin so.
    own: &'static [&'static str],
    /// The words that name it, each with the paths in which it means nothing else.
    words: &'static [(&'static str, &'static str)],
    /// Paths that use it without being a step of the recipe.
    users: &'static [&'static str],
    /// The number of other files that name it at most.
    files: usize,
}

const ANYWHERE: &str = "";

const RECIPES: &[Recipe] = &[
    Recipe {
        newest: "the edit kind `hunk`",
        own: &["daemon/engine/src/op/hunk"],
        words: &[
            ("daemon/engine/src/", "Op::Hunk"),
            ("daemon/engine/src/", "hunk::"),
            ("daemon/engine/src/", "mod hunk;"),
            ("daemon/engine/src/", "\"hunk\""),
            ("daemon/engine/types/src/", "\"hunk\""),
        ],
        users: &["daemon/engine/src/dialect/"],
        files: 6,
    },
    Recipe {
        newest: "the rung `edge`",
        own: &["daemon/engine/src/locate/edge"],
        words: &[
            ("daemon/engine/src/", "Rung::Edge"),
            ("daemon/engine/src/locate/", "edge::"),
            ("daemon/engine/src/locate/", "mod edge;"),
        ],
        users: &[],
        files: 5,
    },
    Recipe {
        newest: "the dialect `ranges`",
        own: &["daemon/engine/src/dialect/ranges"],
        words: &[
            ("daemon/engine/src/dialect/", "mod ranges;"),
            (ANYWHERE, "ranges::Ranges"),
            (ANYWHERE, "\"ranges\""),
        ],
        users: &[],
        files: 2,
    },
    Recipe {
        newest: "the tools of the agent `serena`",
        own: &["daemon/engine/src/dialect/tools/serena"],
        words: &[(ANYWHERE, "serena"), (ANYWHERE, "SERENA")],
        users: &["client/mcp/src/toolsets/"],
        files: 2,
    },
    Recipe {
        newest: "the request `outline`",
        own: &["proto/src/message/outline", "daemon/src/workspace/outline"],
        words: &[(ANYWHERE, "OutlineRequest"), (ANYWHERE, "kind::OUTLINE")],
        users: &[],
        files: 6,
    },
];

/// The files of the product that name the newest one, outside its own files.
fn places<'t>(tree: &'t Checkout, recipe: &Recipe) -> Vec<&'t str> {
    let begins = |name: &str, paths: &[&str]| paths.iter().any(|path| name.starts_with(path));
    let sources = tree.rust().filter(|(name, _)| !is_test(name));
    let others = sources.filter(|(name, _)| !begins(name, recipe.own) && !begins(name, recipe.users));
    let naming = others.filter(|(name, text)| {
        let words = recipe.words.iter().filter(|(scope, _)| name.starts_with(scope));
        words.into_iter().any(|(_, word)| lines(text).any(|line| contains(line, word)))
    });
    naming.map(|(name, _)| name).collect()
}

/// The lines of code before the unit tests.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text);
    code.lines().filter(|line| !line.trim_start().starts_with("//"))
}

fn contains(line: &str, word: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = word.starts_with(is_word) && line[..at].ends_with(is_word);
        let after = word.ends_with(is_word) && line[at + word.len()..].starts_with(is_word);
        !before && !after
    })
}

fn steps(tree: &Checkout, recipes: &[Recipe]) -> Vec<String> {
    let mut found = Vec::new();
    for recipe in recipes {
        let places = places(tree, recipe);
        if !recipe.own.iter().all(|own| tree.all().any(|(name, _)| name.starts_with(own))) {
            found.push(format!("{} has no files of its own: bring its row up to date", recipe.newest));
        } else if places.len() > recipe.files {
            found.push(format!(
                "{} is named in {} files besides its own, {} permitted: {}",
                recipe.newest,
                places.len(),
                recipe.files,
                places.join(", ")
            ));
        }
    }
    found
}

#[test]
fn a_recipe_has_no_more_steps_than_it_says() {
    none(steps(&tree(), RECIPES));
    let recipe = |files| Recipe {
        newest: "the dish `soup`",
        own: &["a/src/soup"],
        words: &[("a/", "soup::"), ("a/", "\"soup\"")],
        users: &["a/src/guest.rs"],
        files,
    };
    let sample = Checkout::sample(&[
        ("a/src/soup/mod.rs", "use super::soup::Pot;"),
        ("a/src/menu.rs", "use soup::Pot;"),
        ("a/src/card.rs", "const NAME: &str = \"soup\";"),
        ("a/src/guest.rs", "soup::eat();"),
        (
            "a/src/other.rs",
            "// soup::Pot\nfn a() { onionsoup::eat(); }\n#[cfg(test)]\nmod tests { use soup::Pot; }",
        ),
        ("b/src/lib.rs", "soup::eat();"),
    ]);
    none(steps(&sample, &[recipe(2)]));
    one(&steps(&sample, &[recipe(1)]), "2 files besides its own, 1 permitted: a/src/card.rs, a/src/menu.rs");
    one(&steps(&Checkout::sample(&[]), &[recipe(1)]), "no files of its own");
}
