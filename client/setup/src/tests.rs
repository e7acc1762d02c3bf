//! Tests of the tables of runtimes.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};

use clap::{Parser, ValueEnum};
use editctl::runtime::Runtime;
use serde_json::{Value, json};

use crate::place::{Scope, UserFolders, default_scope, project_files, user_places};
use crate::runtime::entry_shape;
use crate::{CommandLine, with_runtimes};

#[test]
fn every_runtime_has_a_file_and_an_entry_of_its_own() {
    let folders = UserFolders { home: Some(PathBuf::from("/home/u")), ..UserFolders::default() };
    for runtime in Runtime::value_variants() {
        let runtime = *runtime;
        match default_scope(runtime) {
            Scope::Project => assert!(!project_files(runtime).unwrap().is_empty()),
            Scope::User => assert!(user_places(runtime, &folders).unwrap().folder.starts_with("/home/u")),
        }
        let shape = entry_shape(runtime, &Value::Null);
        for own in ["editctl", "/opt/editctl", "C:\\bin\\editctl.exe"] {
            assert!(shape.is_own(&shape.entry(own)), "{runtime:?} {own}");
        }
        let mut changed = shape.entry("editctl");
        changed["timeout"] = json!(1);
        assert!(!shape.is_own(&changed) && !shape.is_own(&shape.entry("/bin/sh")), "{runtime:?}");
    }
}

#[test]
fn the_error_of_a_line_without_a_runtime_names_the_runtimes() {
    let error = CommandLine::try_parse_from(["editctl setup", "--hooks"]).unwrap_err();
    assert!(!error.to_string().contains("codex"), "clap names them now: {error}");
    let error = with_runtimes(error).to_string();
    assert!(error.contains("the runtimes are claude-code, codex"), "{error}");
}

#[test]
fn the_environment_names_the_folders_of_the_user() {
    let folders = UserFolders {
        home: Some("/home/u".into()),
        xdg_config: Some("/xdg".into()),
        codex: Some("/codex".into()),
        claude: Some("/claude".into()),
        ..UserFolders::default()
    };
    let folder = |runtime: Runtime| user_places(runtime, &folders).map(|places| places.folder);
    assert_eq!(folder(Runtime::Codex).unwrap(), Path::new("/codex"));
    assert_eq!(folder(Runtime::Zed).unwrap(), Path::new("/xdg"));
    assert_eq!(folder(Runtime::Opencode).unwrap(), Path::new("/xdg"));
    assert!(folder(Runtime::ClaudeCode).unwrap_err().message().contains("claude mcp add"));
    let none = UserFolders { home: Some("relative".into()), ..UserFolders::default() };
    assert!(user_places(Runtime::Cursor, &none).unwrap_err().message().contains("HOME"));
}

#[test]
fn opencode_keeps_the_shape_of_the_file() {
    let shape = |content: &Value| entry_shape(Runtime::Opencode, content);
    assert_eq!(shape(&json!({})).path, ["mcp"]);
    assert_eq!(shape(&json!({ "mcp": { "servers": { "type": "local" } } })).path, ["mcp"]);
    let second = shape(&json!({ "mcp": { "servers": {} } }));
    assert_eq!(second.path, ["mcp", "servers"]);
    assert!(second.entry("editctl").get("enabled").is_none());
}
