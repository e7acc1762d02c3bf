//! The languages by name, and how a file is recognised. What is said about each stands in `languages`.

use crate::grammar::Grammar;

/// A language whose syntax may be known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "each is what it is called")]
pub enum Language {
    Bash,
    C,
    CSharp,
    Cpp,
    Css,
    Go,
    Html,
    Java,
    JavaScript,
    Json,
    Markdown,
    Php,
    Python,
    Ruby,
    Rust,
    Toml,
    Tsx,
    TypeScript,
    Yaml,
}

/// Each with its name and the ends of its files' names.
const NAMES: &[(Language, &str, &[&str])] = &[
    (Language::Bash, "bash", &["sh", "bash", "bats", "ebuild", "eclass"]),
    (Language::C, "c", &["c", "h"]),
    (Language::CSharp, "c-sharp", &["cs", "csx"]),
    (
        Language::Cpp,
        "cpp",
        &["cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "ipp", "inl", "tpp", "cu", "cuh"],
    ),
    (Language::Css, "css", &["css"]),
    (Language::Go, "go", &["go"]),
    (Language::Html, "html", &["html", "htm", "xhtml"]),
    (Language::Java, "java", &["java"]),
    (Language::JavaScript, "javascript", &["js", "mjs", "cjs", "jsx"]),
    (Language::Json, "json", &["json", "jsonc", "geojson", "webmanifest"]),
    (Language::Markdown, "markdown", &["md", "markdown", "mkd"]),
    (Language::Php, "php", &["php", "phtml"]),
    (Language::Python, "python", &["py", "pyi", "pyw"]),
    (Language::Ruby, "ruby", &["rb", "rake", "gemspec", "ru"]),
    (Language::Rust, "rust", &["rs"]),
    (Language::Toml, "toml", &["toml"]),
    (Language::Tsx, "tsx", &["tsx"]),
    (Language::TypeScript, "typescript", &["ts", "mts", "cts"]),
    (Language::Yaml, "yaml", &["yaml", "yml"]),
];

/// Whole names of files.
const FILES: &[(&str, Language)] = &[
    (".bashrc", Language::Bash),
    (".bash_profile", Language::Bash),
    (".profile", Language::Bash),
    ("Cargo.lock", Language::Toml),
    ("poetry.lock", Language::Toml),
    ("uv.lock", Language::Toml),
    ("Pipfile", Language::Toml),
    ("Gemfile", Language::Ruby),
    ("Rakefile", Language::Ruby),
    ("Vagrantfile", Language::Ruby),
    ("package-lock.json", Language::Json),
    (".babelrc", Language::Json),
    (".eslintrc", Language::Json),
    (".swcrc", Language::Json),
    (".clang-format", Language::Yaml),
    ("SConstruct", Language::Python),
];

/// Programs in a first line such as `#!/usr/bin/env python3`.
const PROGRAMS: &[(&str, Language)] = &[
    ("sh", Language::Bash),
    ("bash", Language::Bash),
    ("dash", Language::Bash),
    ("python", Language::Python),
    ("node", Language::JavaScript),
    ("ruby", Language::Ruby),
    ("php", Language::Php),
];

impl Language {
    /// Every language, in the order of their names.
    pub fn all() -> impl Iterator<Item = Self> {
        NAMES.iter().map(|(language, ..)| *language)
    }

    /// The language of a file, by its name or its first line; `None` where neither says one. A header `.h` is C++ where
    /// it says something that C does not have.
    pub fn of(path: &[u8], text: &str) -> Option<Self> {
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        let name = String::from_utf8_lossy(name);
        if let Some((_, language)) = FILES.iter().find(|(file, _)| *file == name) {
            return Some(*language);
        }
        let end = name.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase());
        let by_end = end.and_then(|end| NAMES.iter().find(|(.., ends)| ends.contains(&end.as_str())));
        match by_end {
            Some((Self::C, ..)) if name.ends_with(['h', 'H']) && is_cpp(text) => Some(Self::Cpp),
            Some((language, ..)) => Some(*language),
            None => by_first_line(text),
        }
    }

    /// As it is told.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(language, ..)| *language == self).map_or("", |(_, name, _)| name)
    }

    /// Whether this build knows its syntax.
    pub fn is_known(self) -> bool {
        self.grammar().is_some() || (self == Self::Yaml && cfg!(feature = "yaml"))
    }

    /// Whether its grammar takes practically every text that is right. Where it does not, few errors are
    /// [sure](crate::Certainty). The shares by which that is decided stand in `errors`.
    pub fn is_sure(self) -> bool {
        !matches!(
            self,
            Self::Bash | Self::C | Self::CSharp | Self::Cpp | Self::Html | Self::Tsx | Self::TypeScript
        )
    }

    /// What is said about it; `None` where this build leaves it out, and for YAML, which needs no tree.
    pub(crate) fn grammar(self) -> Option<&'static Grammar> {
        match self {
            #[cfg(feature = "bash")]
            Self::Bash => Some(&crate::languages::bash::GRAMMAR),
            #[cfg(feature = "c")]
            Self::C => Some(&crate::languages::c::GRAMMAR),
            #[cfg(feature = "c-sharp")]
            Self::CSharp => Some(&crate::languages::csharp::GRAMMAR),
            #[cfg(feature = "cpp")]
            Self::Cpp => Some(&crate::languages::cpp::GRAMMAR),
            #[cfg(feature = "css")]
            Self::Css => Some(&crate::languages::css::GRAMMAR),
            #[cfg(feature = "go")]
            Self::Go => Some(&crate::languages::go::GRAMMAR),
            #[cfg(feature = "html")]
            Self::Html => Some(&crate::languages::html::GRAMMAR),
            #[cfg(feature = "java")]
            Self::Java => Some(&crate::languages::java::GRAMMAR),
            #[cfg(feature = "javascript")]
            Self::JavaScript => Some(&crate::languages::javascript::GRAMMAR),
            #[cfg(feature = "json")]
            Self::Json => Some(&crate::languages::json::GRAMMAR),
            #[cfg(feature = "markdown")]
            Self::Markdown => Some(&crate::languages::markdown::GRAMMAR),
            #[cfg(feature = "php")]
            Self::Php => Some(&crate::languages::php::GRAMMAR),
            #[cfg(feature = "python")]
            Self::Python => Some(&crate::languages::python::GRAMMAR),
            #[cfg(feature = "ruby")]
            Self::Ruby => Some(&crate::languages::ruby::GRAMMAR),
            #[cfg(feature = "rust")]
            Self::Rust => Some(&crate::languages::rust::GRAMMAR),
            #[cfg(feature = "toml")]
            Self::Toml => Some(&crate::languages::toml::GRAMMAR),
            #[cfg(feature = "typescript")]
            Self::Tsx => Some(&crate::languages::typescript::TSX),
            #[cfg(feature = "typescript")]
            Self::TypeScript => Some(&crate::languages::typescript::TYPESCRIPT),
            _ => None,
        }
    }
}

/// Bytes of a header that are looked at for what tells C++ from C; its includes and first classes stand there.
const HEADER: usize = 64 * 1024;

/// Whether a header says what C does not: a template, a class, a namespace, who may see a member.
fn is_cpp(text: &str) -> bool {
    let cut = text.char_indices().map(|(at, _)| at).find(|at| *at >= HEADER).unwrap_or(text.len());
    let lines = text.get(..cut).unwrap_or_default().lines().map(str::trim);
    lines.filter(|line| !line.starts_with(['*', '/'])).any(|line| {
        let (word, rest) = line.split_once([' ', '\t', '<']).unwrap_or((line, ""));
        let names = |rest: &str| rest.starts_with(|first: char| first.is_alphabetic() || first == '_');
        // In a comment such a word is followed by others; a declaration names one thing and then opens or ends.
        let opens = |rest: &str| rest.contains(['{', ':', ';']) || rest.split_whitespace().count() == 1;
        match word {
            "public:" | "private:" | "protected:" => rest.is_empty() || rest.trim_start().starts_with('/'),
            "template" => line.trim_start_matches("template").trim_start().starts_with('<'),
            "class" => names(rest) && !rest.ends_with('.') && opens(rest),
            "namespace" => rest.starts_with('{') || names(rest) && !rest.ends_with('.') && opens(rest),
            "using" => rest.starts_with("namespace ") || rest.contains("::") || rest.contains(" = "),
            _ => line.contains("std::"),
        }
    })
}

fn by_first_line(text: &str) -> Option<Language> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_ascii_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let program = words.find(|word| *word != "env" && !word.starts_with('-'))?;
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    PROGRAMS.iter().find(|(known, _)| *known == program).map(|(_, language)| *language)
}
