//! Diffs of whole trees: files that come, go, get other names or a double, in one commit or in several. editd must make
//! of the old tree just the new one.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use editd_engine::Refusal;
use fastrand::Rng;

use super::change::changed;
use super::judge::planned;
use super::tools::DiffTools;

/// Files of a tree.
type TreeFiles = BTreeMap<String, String>;

/// The form in which a tree's diff is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TreeDiff {
    /// `git diff` with renames and copies.
    Git,
    /// `git diff` that breaks rewritten files, so that names may change in a ring.
    GitBroken,
    /// `git format-patch` of all commits.
    Mailbox,
    /// `diff -ruN` of two folders.
    Gnu,
}

/// A tree, and what became of it.
#[derive(Debug)]
pub struct TreeTrial {
    states: Vec<TreeFiles>,
}

impl TreeTrial {
    /// Draws a tree of these contents and as many commits.
    pub fn draw(contents: &[String], commits: usize, rng: &mut Rng) -> Self {
        let named =
            |(number, content): (usize, &String)| (format!("d{}/f{number}", number % 2), content.clone());
        let mut states: Vec<TreeFiles> = vec![contents.iter().enumerate().map(named).collect()];
        for commit in 0..commits {
            let mut files = states[commit].clone();
            for step in 0..rng.usize(1..5) {
                Self::step(&mut files, &format!("c{commit}s{step}"), rng);
            }
            states.push(files);
        }
        Self { states }
    }

    fn step(files: &mut TreeFiles, mark: &str, rng: &mut Rng) {
        let names: Vec<String> = files.keys().cloned().collect();
        let Some(name) = rng.choice(&names).cloned() else { return };
        let other = rng.choice(&names).cloned().unwrap_or_default();
        let altered = |content: &str, rng: &mut Rng| -> String {
            let lines: Vec<String> = content.split_inclusive('\n').map(str::to_owned).collect();
            changed(&lines, 1, mark, rng).concat()
        };
        match rng.u8(0..8) {
            0 | 1 => {
                let content = altered(&files[&name], rng);
                files.insert(name, content);
            }
            2 => drop(files.insert(format!("new/{mark}"), altered(&files[&name], rng))),
            3 => drop(files.remove(&name)),
            4 => {
                let content = files.remove(&name).unwrap_or_default();
                let content = if rng.bool() { altered(&content, rng) } else { content };
                files.insert(format!("moved/{mark}"), content);
            }
            5 if name != other => {
                let (one, two) = (files[&name].clone(), files[&other].clone());
                files.insert(name, two);
                files.insert(other, one);
            }
            6 => drop(files.insert(format!("empty/{mark}"), String::new())),
            _ => drop(files.insert(format!("copy/{mark}"), files[&name].clone())),
        }
    }

    /// Prints the diff of the first state and the last.
    pub fn print(&self, tools: &DiffTools, how: TreeDiff) -> String {
        let states = match how {
            TreeDiff::Mailbox => &self.states[..],
            _ => &[self.states[0].clone(), self.states[self.states.len() - 1].clone()][..],
        };
        if how == TreeDiff::Gnu {
            for (folder, files) in ["old", "new"].iter().zip(states) {
                let _ = fs::remove_dir_all(tools.path(folder));
                fs::create_dir_all(tools.path(folder)).expect("a folder can be made");
                files.iter().for_each(|(name, content)| tools.put(&format!("{folder}/{name}"), content));
            }
            let said = tools.output("diff", ".", &["-ruN", "old", "new"]);
            return String::from_utf8(said.stdout).expect("the files are UTF-8");
        }
        let _ = fs::remove_dir_all(tools.path("repo"));
        fs::create_dir_all(tools.path("repo")).expect("a folder can be made");
        let git = |words: &[&str]| tools.text("git", "repo", words);
        git(&["init", "-q"]);
        for files in states {
            for entry in fs::read_dir(tools.path("repo")).expect("the folder is there").flatten() {
                if entry.file_name() != ".git" {
                    remove(&entry.path());
                }
            }
            files.iter().for_each(|(name, content)| tools.put(&format!("repo/{name}"), content));
            git(&["add", "-A"]);
            git(&["commit", "-q", "--allow-empty", "-m", "one"]);
        }
        match how {
            TreeDiff::Mailbox => git(&["format-patch", "--stdout", "-M", "--root", &self.range()]),
            TreeDiff::GitBroken => git(&["diff", "-B", "-M", "-C", "HEAD~1", "HEAD"]),
            _ => git(&["diff", "-M", "-C", "--find-copies-harder", "HEAD~1", "HEAD"]),
        }
    }

    fn range(&self) -> String {
        format!("HEAD~{}..HEAD", self.states.len() - 1)
    }

    /// Returns true if git itself can apply a diff to the first state.
    pub fn git_applies(&self, tools: &DiffTools, diff: &str) -> bool {
        let _ = fs::remove_dir_all(tools.path("tree"));
        self.states[0].iter().for_each(|(name, content)| tools.put(&format!("tree/{name}"), content));
        tools.put("diff", diff);
        tools.output("git", "tree", &["apply", "../diff"]).status.success()
    }

    /// Applies a diff to the first state, and says in which files the result differs from the last.
    ///
    /// # Errors
    /// The refusal.
    pub fn differences(&self, how: TreeDiff, diff: &str) -> Result<Vec<String>, Refusal> {
        let (old, new) = (&self.states[0], &self.states[self.states.len() - 1]);
        if diff.is_empty() {
            return Ok(Vec::new());
        }
        let files: Vec<(&str, &str)> =
            old.iter().map(|(name, content)| (name.as_str(), content.as_str())).collect();
        let mut made = old.clone();
        for (path, content) in planned(diff, &files)? {
            match content {
                Some(content) => drop(made.insert(path, content)),
                None => drop(made.remove(&path)),
            }
        }
        // GNU diff says nothing of a file that is empty on one side and missing on the other.
        let there = |files: &TreeFiles, name: &str| {
            files.get(name).filter(|content| how != TreeDiff::Gnu || !content.is_empty()).cloned()
        };
        let mut names: Vec<&String> = made.keys().chain(new.keys()).collect();
        names.sort();
        names.dedup();
        let differs = |name: &&String| there(&made, name) != there(new, name);
        Ok(names.into_iter().filter(differs).cloned().collect())
    }
}

fn remove(path: &Path) {
    let done = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    done.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
