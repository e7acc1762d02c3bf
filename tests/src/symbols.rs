//! Properties of edits of symbols in real files: writing a symbol's own body changes nothing, a deletion can be
//! undone, and adding or removing a whole definition keeps the syntax valid. It asks the engine for plans only and
//! writes no file.
//!
//! *Calling sequence*: [`files`] lists real files, [`SymbolResults::judge`] edits their symbols, and printing [`SymbolResults`] shows the
//! results.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use editd_engine::{
    FileState, Plan, PlanOptions, Refusal, WorkspaceSnapshot, apply, invert, plan_input as plan,
};
use editd_proto::ErrorCode;
use editd_proto::message::{EditStatus, FileEdit, FileEntry, JobRequest};
use editd_proto::path::FilePath;
use editd_syntax::{Language, Outline, ParseBudget, Symbol, outline};

use crate::sources::registries;

/// Bytes of a file that is taken: each edit parses it several times.
const SIZES: std::ops::RangeInclusive<u64> = 20..=64 * 1024;

/// Examples that are kept of each thing that should not be.
const EXAMPLES: usize = 3;

/// The files below some folders (cargo's registry where there are none), by language and then by path, whose language is
/// known and, where one is named, is that one.
pub fn files(folders: &[PathBuf], only: Option<&str>) -> Vec<(PathBuf, Language)> {
    let mut folders = if folders.is_empty() { registries() } else { folders.to_vec() };
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() && entry.metadata().is_ok_and(|about| SIZES.contains(&about.len())) {
                let language = Language::of(path.as_os_str().as_encoded_bytes(), "");
                let wanted = |one: &Language| one.is_known() && only.is_none_or(|name| one.name() == name);
                found.extend(language.filter(wanted).map(|language| (path, language)));
            }
        }
    }
    // By language, and by path within it.
    found.sort_by(|(a, one), (b, other)| (one, a).cmp(&(other, b)));
    found
}

/// The results for the symbols of many files, by language.
#[derive(Default, Debug)]
pub struct SymbolResults {
    languages: BTreeMap<&'static str, LanguageTally>,
}

/// The results of one language.
#[derive(Default, Debug)]
struct LanguageTally {
    files: u64,
    /// Files that had syntax errors before: nothing is said about the syntax after.
    broken: u64,
    symbols: u64,
    bodies: u64,
    /// The attempts, with their number, the number of failures, and some examples.
    tried: BTreeMap<&'static str, (u64, u64, Vec<String>)>,
}

/// Must always hold.
const MUST: [&str; 5] = [
    "own body is unchanged",
    "own definition is unchanged",
    "taken back byte for byte",
    "own body with a word changed is the file with that word changed",
    "the own bodies of all symbols at once are unchanged",
];

impl LanguageTally {
    fn count(&mut self, what: &'static str, holds: bool, example: impl FnOnce() -> String) {
        let (tried, failed, examples) = self.tried.entry(what).or_default();
        *tried += 1;
        if !holds {
            *failed += 1;
            if examples.len() < EXAMPLES {
                examples.push(example());
            }
        }
    }
}

impl SymbolResults {
    /// Edits up to so many symbols of a file, spread over it, in every way.
    pub fn judge(&mut self, path: &Path, language: Language, most: usize) {
        let Ok(text) = fs::read_to_string(path) else { return };
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        // Of a header the text tells whether it is C.
        let language = Language::of(path.as_os_str().as_encoded_bytes(), text).unwrap_or(language);
        let Ok(found) = outline(language, text, &ParseBudget::default()) else { return };
        let tally = self.languages.entry(language.name()).or_default();
        tally.files += 1;
        tally.broken += u64::from(found.broken);
        tally.symbols += found.symbols.len() as u64;
        tally.bodies += found.symbols.iter().filter(|symbol| symbol.body.is_some()).count() as u64;
        let file = SymbolFile { path, language, text, found: &found };
        let step = found.symbols.len().div_ceil(most.max(1)).max(1);
        for (at, symbol) in found.symbols.iter().enumerate().step_by(step) {
            file.judge(at, symbol, tally);
        }
        file.judge_bodies(tally);
    }

    /// Returns the number of files.
    pub fn files(&self) -> u64 {
        self.languages.values().map(|tally| tally.files).sum()
    }

    /// Returns the failures that must never happen, one line each.
    pub fn faults(&self) -> Vec<String> {
        let all = self.languages.values().flat_map(|tally| &tally.tried);
        let must = all.filter(|(what, _)| MUST.contains(what));
        must.flat_map(|(what, (.., examples))| examples.iter().map(move |one| format!("{what}: {one}")))
            .collect()
    }

    /// Of so many tries of one thing in all languages, how many failed.
    pub fn of(&self, what: &str) -> (u64, u64) {
        let all = self.languages.values().filter_map(|tally| tally.tried.get(what));
        all.fold((0, 0), |(tried, failed), (more, worse, _)| (tried + more, failed + worse))
    }
}

impl Display for SymbolResults {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (name, tally) in &self.languages {
            let LanguageTally { files, broken, symbols, bodies, tried } = tally;
            writeln!(f, "{name}: {files} files, {broken} with errors, {symbols} symbols, {bodies} bodies")?;
            for (what, (tried, failed, examples)) in tried {
                writeln!(f, "  {what}: {tried} tried, {failed} not")?;
                for one in examples {
                    writeln!(f, "    {one}")?;
                }
            }
        }
        Ok(())
    }
}

/// A file whose symbols are edited.
struct SymbolFile<'f> {
    path: &'f Path,
    language: Language,
    text: &'f str,
    found: &'f Outline,
}

impl SymbolFile<'_> {
    fn judge(&self, at: usize, symbol: &Symbol, tally: &mut LanguageTally) {
        let example = |why: String| move || format!("{} {}: {why}", self.path.display(), symbol.path);
        let edit = |action: &str, text: Option<&str>| FileEdit {
            op: "symbol".to_owned(),
            name: Some(format!("/{}", symbol.path)),
            action: Some(action.to_owned()),
            text: text.map(str::to_owned),
            ..FileEdit::default()
        };
        let unchanged = |planned: &Result<Plan, Refusal>| {
            let status = planned.as_ref().ok().and_then(|plan| plan.files[0].edits.first());
            status.is_some_and(|edit| edit.status == EditStatus::Unchanged)
        };
        if let Some(body) = symbol.body.clone() {
            let own = &self.text[body];
            let planned = self.plan(edit("replace_body", Some(own)));
            tally.count(MUST[0], unchanged(&planned), example(why(&planned)));
            self.change_words(symbol, own, tally);
            if let Some(shallow) = self.indent(symbol).and_then(|indent| shallow(own, indent)) {
                let planned = self.plan(edit("replace_body", Some(&shallow)));
                tally.count(
                    "own body without its indentation is unchanged",
                    self.same(&planned),
                    example(why(&planned)),
                );
            }
        }
        let planned = self.plan(edit("replace", Some(&self.text[symbol.definition.clone()])));
        tally.count(MUST[1], unchanged(&planned), example(why(&planned)));
        let planned = self.plan(edit("delete", None));
        // What is left would go on in what follows it, since no `;` ends it.
        let joins = |planned: &Result<Plan, Refusal>| {
            planned.as_ref().is_err_and(|refusal| refusal.code == ErrorCode::Malformed)
        };
        if joins(&planned) {
            return;
        }
        if let Some(after) = self.take_back(&planned, tally, symbol) {
            self.still_parses("delete leaves no syntax error", &after, tally, symbol);
        }
        let Some(other) = self.sibling(at, symbol) else { return };
        let copy = self.lines(other);
        for (action, what) in [
            ("insert_before", "insert_before of a neighbour's copy leaves no syntax error"),
            ("insert_after", "insert_after of a neighbour's copy leaves no syntax error"),
        ] {
            let planned = self.plan(edit(action, Some(copy)));
            if joins(&planned) {
                continue;
            }
            if let Some(after) = self.take_back(&planned, tally, symbol) {
                self.still_parses(what, &after, tally, symbol);
            }
        }
    }

    /// Sends every symbol's body back, in one job.
    fn judge_bodies(&self, tally: &mut LanguageTally) {
        let edit = |(symbol, body): (&Symbol, std::ops::Range<usize>)| FileEdit {
            op: "symbol".to_owned(),
            name: Some(format!("/{}", symbol.path)),
            action: Some("replace_body".to_owned()),
            text: Some(self.text[body].to_owned()),
            ..FileEdit::default()
        };
        let bodies = self.found.symbols.iter().filter_map(|symbol| Some((symbol, symbol.body.clone()?)));
        let edits: Vec<FileEdit> = bodies.map(edit).collect();
        if edits.is_empty() {
            return;
        }
        let planned = self.plan_all(edits);
        let each = |plan: &Plan| plan.files[0].edits.iter().all(|edit| edit.status == EditStatus::Unchanged);
        let holds = planned.as_ref().is_ok_and(each) && self.same(&planned);
        tally.count(MUST[4], holds, || format!("{}: {}", self.path.display(), why(&planned)));
    }

    /// The indentation of the outermost lines of a body: of its first, else of the one that closes it.
    fn indent(&self, symbol: &Symbol) -> Option<&str> {
        let body = symbol.body.clone()?;
        let line = |at: usize| {
            let start = self.text[..at].rfind(['\n', '\r']).map_or(0, |at| at + 1);
            Some(&self.text[start..at]).filter(|before| before.trim().is_empty())
        };
        line(body.start).or_else(|| line(body.end - 1))
    }

    /// Sends a body back with one of its words changed: the first, the last, and one between.
    fn change_words(&self, symbol: &Symbol, own: &str, tally: &mut LanguageTally) {
        let Some(body) = symbol.body.clone() else { return };
        let is_word = |letter: char| letter.is_ascii_alphanumeric();
        let starts: Vec<usize> = own
            .match_indices(is_word)
            .map(|(at, _)| at)
            .filter(|at| !own[..*at].ends_with(is_word))
            .collect();
        let some = [starts.first(), starts.get(starts.len() / 2), starts.last()];
        for start in some.into_iter().flatten().copied() {
            let end = own[start..].find(|letter| !is_word(letter)).map_or(own.len(), |at| start + at);
            let changed = [&own[..start], "other", &own[end..]].concat();
            let planned = self.plan(FileEdit {
                op: "symbol".to_owned(),
                name: Some(format!("/{}", symbol.path)),
                action: Some("replace_body".to_owned()),
                text: Some(changed.clone()),
                ..FileEdit::default()
            });
            let expected = [&self.text[..body.start], &changed, &self.text[body.end..]].concat();
            let change = planned.as_ref().ok().and_then(|plan| plan.changes.first());
            let made = change.and_then(|change| apply(self.text.as_bytes(), &change.splices));
            let made = made.as_deref().unwrap_or(self.text.as_bytes());
            let holds = planned.is_ok() && made == expected.as_bytes();
            tally.count(MUST[3], holds, || {
                format!("{} {}: {}", self.path.display(), symbol.path, why(&planned))
            });
        }
    }

    fn plan(&self, edit: FileEdit) -> Result<Plan, Refusal> {
        self.plan_all(vec![edit])
    }

    fn plan_all(&self, edits: Vec<FileEdit>) -> Result<Plan, Refusal> {
        // The name is all that says the language.
        let name = self.path.file_name().map(|name| name.as_encoded_bytes().to_vec()).unwrap_or_default();
        let path = FilePath::from(String::from_utf8_lossy(&name).as_ref());
        let bytes = Arc::from(self.text.as_bytes());
        let files = vec![FileEntry { path: path.clone(), base: None, edits, ..FileEntry::default() }];
        let world = WorkspaceSnapshot {
            files: BTreeMap::from([(path, FileState::File { bytes, mode: 0o644 })]),
            ..WorkspaceSnapshot::default()
        };
        plan(
            &JobRequest { files, diff: Some(false), ..JobRequest::default() },
            &world,
            &PlanOptions::default(),
        )
    }

    /// Returns true if a plan does not change the file.
    fn same(&self, planned: &Result<Plan, Refusal>) -> bool {
        planned.as_ref().is_ok_and(|plan| plan.changes.is_empty())
    }

    /// The text that a plan makes, after it was taken back.
    fn take_back(
        &self,
        planned: &Result<Plan, Refusal>,
        tally: &mut LanguageTally,
        symbol: &Symbol,
    ) -> Option<String> {
        let change = planned.as_ref().ok().and_then(|plan| plan.changes.first());
        let after = change.and_then(|change| apply(self.text.as_bytes(), &change.splices));
        let back =
            change.zip(after.as_ref()).and_then(|(change, after)| apply(after, &invert(&change.splices)));
        let holds = back.as_deref() == Some(self.text.as_bytes());
        tally.count(MUST[2], holds, || format!("{} {}: {}", self.path.display(), symbol.path, why(planned)));
        after.and_then(|after| String::from_utf8(after).ok())
    }

    fn still_parses(&self, what: &'static str, after: &str, tally: &mut LanguageTally, symbol: &Symbol) {
        if self.found.broken {
            return;
        }
        let parses = outline(self.language, after, &ParseBudget::default()).is_ok_and(|found| !found.broken);
        let kind = symbol.kind.name();
        tally.count(what, parses, || format!("{} {} ({kind})", self.path.display(), symbol.path));
    }

    /// Another symbol of the same parent, of the same kind.
    fn sibling(&self, at: usize, symbol: &Symbol) -> Option<&Symbol> {
        let like = |(index, one): &(usize, &Symbol)| {
            *index != at
                && one.parent == symbol.parent
                && one.kind == symbol.kind
                && one.listed == symbol.listed
        };
        self.found.symbols.iter().enumerate().find(like).map(|(_, one)| one)
    }

    /// All that belongs to a symbol, from the start of its line where nothing else stands there.
    fn lines(&self, symbol: &Symbol) -> &str {
        let start = self.text[..symbol.extent.start].rfind(['\n', '\r']).map_or(0, |at| at + 1);
        let blank = self.text[start..symbol.extent.start].trim().is_empty();
        &self.text[if blank { start } else { symbol.extent.start }..symbol.extent.end]
    }
}

fn why(planned: &Result<Plan, Refusal>) -> String {
    match planned {
        Ok(plan) => {
            let splice = plan.changes.first().and_then(|change| change.splices.first());
            splice.map_or_else(
                || "no change".to_owned(),
                |splice| {
                    let said = |bytes: &[u8]| {
                        String::from_utf8_lossy(bytes)
                            .chars()
                            .take(60)
                            .collect::<String>()
                            .escape_debug()
                            .to_string()
                    };
                    format!("at {}: {} -> {}", splice.at, said(&splice.old), said(&splice.new))
                },
            )
        }
        Err(refusal) => refusal.message.clone(),
    }
}

/// A text of several lines as a caller writes it: all but the first, which has none, without this indentation. `None`
/// where it has one line, or another shape.
fn shallow(text: &str, indent: &str) -> Option<String> {
    let mut lines = text.split_inclusive('\n');
    let mut out = lines.next()?.to_owned();
    if out.len() == text.len() || indent.is_empty() {
        return None;
    }
    for line in lines {
        let bare = line.strip_prefix(indent);
        out.push_str(if line.trim().is_empty() { line } else { bare? });
    }
    Some(out)
}
