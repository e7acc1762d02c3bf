//! The list of languages, and the detection of a file's language. The grammars are in `languages`.

use crate::grammar::Grammar;

/// A language that the crate may support, depending on the features of the build.
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

/// Returns the grammar of a language, or `None` if this build does not support it.
macro_rules! grammar {
    ($feature:literal, $module:ident::$grammar:ident) => {{
        #[cfg(feature = $feature)]
        let grammar = Some(&crate::languages::$module::$grammar);
        #[cfg(not(feature = $feature))]
        let grammar = None;
        grammar
    }};
}

/// A language with its name, its file extensions and its grammar.
type LanguageRow = (Language, &'static str, &'static [&'static str], Option<&'static Grammar>);

/// The languages, sorted by name. YAML needs no tree and has no grammar.
const LANGUAGES: &[LanguageRow] = &[
    (Language::Bash, "bash", &["sh", "bash", "bats", "ebuild", "eclass"], grammar!("bash", bash::GRAMMAR)),
    (Language::C, "c", &["c", "h"], grammar!("c", c::GRAMMAR)),
    (Language::CSharp, "c-sharp", &["cs", "csx"], grammar!("c-sharp", csharp::GRAMMAR)),
    (
        Language::Cpp,
        "cpp",
        &["cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "ipp", "inl", "tpp", "cu", "cuh"],
        grammar!("cpp", cpp::GRAMMAR),
    ),
    (Language::Css, "css", &["css"], grammar!("css", css::GRAMMAR)),
    (Language::Go, "go", &["go"], grammar!("go", go::GRAMMAR)),
    (Language::Html, "html", &["html", "htm", "xhtml"], grammar!("html", html::GRAMMAR)),
    (Language::Java, "java", &["java"], grammar!("java", java::GRAMMAR)),
    (
        Language::JavaScript,
        "javascript",
        &["js", "mjs", "cjs", "jsx"],
        grammar!("javascript", javascript::GRAMMAR),
    ),
    (Language::Json, "json", &["json", "jsonc", "geojson", "webmanifest"], grammar!("json", json::GRAMMAR)),
    (Language::Markdown, "markdown", &["md", "markdown", "mkd"], grammar!("markdown", markdown::GRAMMAR)),
    (Language::Php, "php", &["php", "phtml"], grammar!("php", php::GRAMMAR)),
    (Language::Python, "python", &["py", "pyi", "pyw"], grammar!("python", python::GRAMMAR)),
    (Language::Ruby, "ruby", &["rb", "rake", "gemspec", "ru"], grammar!("ruby", ruby::GRAMMAR)),
    (Language::Rust, "rust", &["rs"], grammar!("rust", rust::GRAMMAR)),
    (Language::Toml, "toml", &["toml"], grammar!("toml", toml::GRAMMAR)),
    (Language::Tsx, "tsx", &["tsx"], grammar!("typescript", typescript::TSX)),
    (
        Language::TypeScript,
        "typescript",
        &["ts", "mts", "cts"],
        grammar!("typescript", typescript::TYPESCRIPT),
    ),
    (Language::Yaml, "yaml", &["yaml", "yml"], None),
];

/// Complete file names.
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

/// Interpreters in a first line such as `#!/usr/bin/env python3`.
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
    /// Returns all languages, sorted by name.
    pub fn all() -> impl Iterator<Item = Self> {
        LANGUAGES.iter().map(|(language, ..)| *language)
    }

    /// Returns the language of a file, by its name or by its first line, or `None` if neither determines it. A header
    /// `.h` is C++ if it contains a construct that C does not have.
    ///
    /// ```
    /// use editd_syntax::Language;
    ///
    /// assert_eq!(Language::of(b"src/main.rs", ""), Some(Language::Rust));
    /// assert_eq!(Language::of(b"bin/run", "#!/usr/bin/env python3\n"), Some(Language::Python));
    /// assert_eq!(Language::of(b"notes", ""), None);
    /// ```
    pub fn of(path: &[u8], text: &str) -> Option<Self> {
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        let name = String::from_utf8_lossy(name);
        if let Some((_, language)) = FILES.iter().find(|(file, _)| *file == name) {
            return Some(*language);
        }
        let end = name.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase());
        let by_end =
            end.and_then(|end| LANGUAGES.iter().find(|(_, _, ends, _)| ends.contains(&end.as_str())));
        match by_end {
            Some((Self::C, ..)) if name.ends_with(['h', 'H']) && is_cpp(text) => Some(Self::Cpp),
            Some((language, ..)) => Some(*language),
            None => by_first_line(text),
        }
    }

    /// Returns the lowercase name of the language.
    pub fn name(self) -> &'static str {
        LANGUAGES.iter().find(|(language, ..)| *language == self).map_or("", |(_, name, ..)| name)
    }

    /// Returns true if this build supports the language.
    pub fn is_known(self) -> bool {
        self.grammar().is_some() || (self == Self::Yaml && cfg!(feature = "yaml"))
    }

    /// Returns true if the grammar accepts practically every correct text. Otherwise few errors are
    /// [`Certainty::Sure`](crate::Certainty::Sure). The measured rates are in the documentation of `errors`.
    pub fn is_sure(self) -> bool {
        !matches!(
            self,
            Self::Bash | Self::C | Self::CSharp | Self::Cpp | Self::Html | Self::Tsx | Self::TypeScript
        )
    }

    /// Returns the grammar of the language, or `None` for YAML, which needs no tree, and for languages that this build
    /// does not support.
    pub(crate) fn grammar(self) -> Option<&'static Grammar> {
        LANGUAGES.iter().find(|(language, ..)| *language == self)?.3
    }
}

/// Bytes of a header that are searched for C++ constructs. Its includes and first classes are in them.
const HEADER: usize = 64 * 1024;

/// Returns true if a header has a construct that C does not have: a template, class, namespace or access specifier.
fn is_cpp(text: &str) -> bool {
    let cut = text.char_indices().map(|(at, _)| at).find(|at| *at >= HEADER).unwrap_or(text.len());
    let lines = text.get(..cut).unwrap_or_default().lines().map(str::trim);
    lines.filter(|line| !line.starts_with(['*', '/'])).any(|line| {
        let (word, rest) = line.split_once([' ', '\t', '<']).unwrap_or((line, ""));
        let names = |rest: &str| rest.starts_with(|first: char| first.is_alphabetic() || first == '_');
        // In a comment other words follow such a word. A declaration names one thing and then opens a block or ends.
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
