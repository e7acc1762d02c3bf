//! Tests of the pages and completions, with the programs that read them. A program that is absent is skipped.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use super::{COMPANIONS, definition, write};

fn written() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path()).unwrap();
    folder
}

fn pages(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder.join("man")).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn every_installed_companion_is_described() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["metadata", "--locked", "--offline", "--no-deps", "--format-version", "1"]);
    let done = command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).output().unwrap();
    let told: Value = serde_json::from_slice(&done.stdout).unwrap();
    let installed = told["workspace_default_members"].as_array().unwrap();
    let packages = told["packages"].as_array().unwrap().iter();
    let names = packages.filter(|one| installed.contains(&one["id"])).filter_map(|one| one["name"].as_str());
    let mut companions: Vec<&str> = names.filter_map(|name| name.strip_prefix("editctl-")).collect();
    companions.sort_unstable();
    let mut described: Vec<&str> = COMPANIONS.iter().map(|(program, ..)| *program).collect();
    described.sort_unstable();
    described.dedup();
    assert_eq!(described, companions, "COMPANIONS must have the companions of `default-members`");
}

#[test]
fn every_command_has_a_page_with_its_own_flags() {
    let folder = written();
    let page =
        |name: &str| std::fs::read_to_string(folder.path().join("man").join(name)).unwrap().replace('\\', "");
    for command in definition().get_subcommands() {
        let text = page(&format!("editctl-{}.1", command.get_name()));
        let is_companion = COMPANIONS.iter().any(|(_, name, _)| *name == command.get_name());
        assert!(is_companion || text.contains("--no-spawn"), "{text}");
    }
    assert!(page("editctl-clip-show.1").contains("--session"));
    assert!(
        page("editctl-replace.1").contains("--whole-lines")
            && page("editctl-replace.1").contains("--on-stale")
    );
    assert!(!page("editctl-read.1").contains("--on-stale"));
    for command in definition().get_subcommands_mut() {
        let usage = command.render_usage().to_string();
        let usage = usage.trim_start_matches("Usage:").trim();
        let usage =
            usage.lines().next().unwrap_or_default().split_once(' ').map_or("", |(_, arguments)| arguments);
        let text = page(&format!("editctl-{}.1", command.get_name()));
        let synopsis = text.split(".SH").find(|part| part.starts_with(" SYNOPSIS")).unwrap();
        assert!(synopsis.contains(usage), "{usage}: {synopsis}");
    }
    assert!(page("editctl-undo.1").contains("\neditctl undo [OPTIONS] [JOB]...\n"));
    let setup = page("editctl-setup.1");
    assert!(
        setup.contains("--dry-run") && setup.contains("claude-code") && !setup.contains("--session"),
        "{setup}"
    );
}

#[test]
fn the_pages_are_rendered_without_a_warning() {
    if Command::new("groff").arg("--version").output().is_err() {
        return println!("skipped: groff is not installed");
    }
    let folder = written();
    let pages = pages(folder.path());
    assert!(pages.len() > 30);
    for page in pages {
        let done =
            Command::new("groff").args(["-man", "-Tascii", "-P-cbou", "-ww"]).arg(&page).output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success() && said.is_empty(), "{}: {said}", page.display());
        assert!(String::from_utf8_lossy(&done.stdout).contains("DESCRIPTION"), "{}", page.display());
    }
}

/// The words with which bash completes the last word of a command line.
fn completed(script: &Path, line: &str) -> Option<String> {
    let words = "read -ra COMP_WORDS <<< \"$2 \"; [[ $2 != *' ' ]] || COMP_WORDS+=(''); \
                 COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); . \"$1\"; complete -p editctl > /dev/null; \
                 _editctl editctl \"${COMP_WORDS[-1]}\" \"${COMP_WORDS[-2]}\"; echo \"${COMPREPLY[*]}\"";
    let done = Command::new("bash").args(["-c", words, "bash"]).arg(script).arg(line).output().ok()?;
    assert!(done.status.success() && done.stderr.is_empty(), "{done:?}");
    Some(String::from_utf8(done.stdout).unwrap().trim().to_owned())
}

#[test]
fn bash_completes_commands_flags_and_values() {
    let folder = written();
    let script = folder.path().join("completions/editctl.bash");
    let Some(commands) = completed(&script, "editctl re") else {
        return println!("skipped: bash is not installed");
    };
    assert_eq!(commands, "read replace redo report");
    let complete = |line: &str| completed(&script, line).unwrap();
    assert_eq!(complete("editctl replace --on"), "--on-stale");
    assert_eq!(complete("editctl read --on"), "", "not a flag of `read`");
    assert_eq!(complete("editctl setup cl"), "claude-code");
    assert_eq!(complete("editctl setup --dr"), "--dry-run");
    assert_eq!(complete("editctl clip s"), "show set");
}

#[test]
fn every_shell_has_its_completions() {
    let folder = written();
    for name in ["editctl.bash", "_editctl", "editctl.fish", "_editctl.ps1"] {
        let text = std::fs::read_to_string(folder.path().join("completions").join(name)).unwrap();
        assert!(text.contains("dry-run") && text.contains("on-stale"), "{name}");
        // `editctl` passes it to `editctl-setup`.
        assert!(!text.contains("--program") && !text.contains("-l program"), "{name}");
    }
    for (shell, name) in [("zsh", "_editctl"), ("fish", "editctl.fish")] {
        match Command::new(shell).arg("-n").arg(folder.path().join("completions").join(name)).output() {
            Err(_) => println!("skipped: {shell} is not installed"),
            Ok(done) => assert!(done.status.success() && done.stderr.is_empty(), "{done:?}"),
        }
    }
}
