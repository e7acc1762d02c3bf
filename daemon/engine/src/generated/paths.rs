//! Names and folders of files that programs write, as data. It looks at no content.

/// Files that a package manager writes.
const LOCKS: &[&str] = &[
    ".terraform.lock.hcl",
    "bun.lock",
    "cargo.lock",
    "cartfile.resolved",
    "composer.lock",
    "conan.lock",
    "deno.lock",
    "flake.lock",
    "gemfile.lock",
    "go.sum",
    "gradle.lockfile",
    "mix.lock",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "package.resolved",
    "packages.lock.json",
    "pdm.lock",
    "pipfile.lock",
    "pixi.lock",
    "pnpm-lock.yaml",
    "podfile.lock",
    "poetry.lock",
    "pubspec.lock",
    "rebar.lock",
    "uv.lock",
    "yarn.lock",
];

/// Suffixes of the names of files that a compiler, bundler or designer writes.
const ENDS: &[&str] = &[
    ".css.map",
    ".designer.cs",
    ".designer.vb",
    ".freezed.dart",
    ".g.cs",
    ".g.dart",
    ".g.i.cs",
    ".generated.cs",
    ".generated.go",
    ".generated.js",
    ".generated.swift",
    ".generated.ts",
    ".js.map",
    ".min.css",
    ".min.js",
    ".min.mjs",
    ".pb.cc",
    ".pb.dart",
    ".pb.go",
    ".pb.gw.go",
    ".pb.h",
    ".pb.swift",
    ".tsbuildinfo",
    "_grpc.pb.go",
    "_pb.d.ts",
    "_pb.js",
    "_pb2.py",
    "_pb2.pyi",
    "_pb2_grpc.py",
];

/// Folders whose files are never written by hand. `vendor` is not among them, since people do edit files there.
const FOLDERS: &[&str] = &[
    ".dart_tool",
    ".gradle",
    ".next",
    ".nuxt",
    ".svelte-kit",
    ".terraform",
    ".tox",
    ".venv",
    "__pycache__",
    "bower_components",
    "deriveddata",
    "elm-stuff",
    "node_modules",
    "site-packages",
];

/// A folder of that name is one of these only directly in front of another.
const NESTED: &[(&str, &str)] = &[("target", "debug"), ("target", "release")];

/// Suffixes of the names of prose, in which only `<!-- … -->` is a comment.
const PROSE: &[&str] = &[".adoc", ".htm", ".html", ".markdown", ".md", ".mdx", ".mkd", ".rst"];

/// Returns the reason why a path alone marks its file as generated.
pub(super) fn why(path: &[u8]) -> Option<String> {
    let path = String::from_utf8_lossy(path).to_ascii_lowercase();
    let mut folders: Vec<&str> = path.split('/').collect();
    let name = folders.pop()?;
    if LOCKS.contains(&name) {
        return Some("a package manager writes it".to_owned());
    }
    if let Some(end) = ENDS.iter().find(|end| name.len() > end.len() && name.ends_with(**end)) {
        return Some(format!("its name ends in `{end}`"));
    }
    if name.starts_with("zz_generated.") {
        return Some("its name begins with `zz_generated.`".to_owned());
    }
    if let Some(folder) = folders.iter().find(|folder| FOLDERS.contains(folder)) {
        return Some(format!("it lies in `{folder}/`"));
    }
    let nested = folders
        .iter()
        .zip(folders.iter().skip(1))
        .find(|(outer, inner)| NESTED.iter().any(|known| known.0 == **outer && known.1 == **inner));
    nested.map(|(outer, inner)| format!("it lies in `{outer}/{inner}/`"))
}

/// Returns true if the file name is that of a prose document.
pub(super) fn is_prose(path: &[u8]) -> bool {
    let path = String::from_utf8_lossy(path).to_ascii_lowercase();
    PROSE.iter().any(|end| path.ends_with(end))
}
