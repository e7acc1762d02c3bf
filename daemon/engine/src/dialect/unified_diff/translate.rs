//! Files of a diff as file entries: the hunks of one path together, each near the line that its header names. It never
//! looks at a file.

use std::borrow::Cow;
use std::collections::HashMap;

use editd_proto::error::{Code, WireError};
use editd_proto::message::{Edit, FileMode, Position};
use editd_proto::path::WirePath;

use super::header::{Mode, Name, bare, prefixes, without_prefixes};
use super::mark::{Marked, unmarked};
use super::parse::{FilePatch, Hunk, fault, files, fits};
use super::words::{DiffWords, Said, refused};
use crate::Refusal;
use crate::dialect::entries::{Entries, edit};
use crate::dialect::{Asked, Dialect, Sample, Setting, Translation, Wanted};
use crate::limits;

/// The dialect.
pub(in crate::dialect) struct UnifiedDiff;

impl Dialect for UnifiedDiff {
    fn name(&self) -> &'static str {
        "unified-diff"
    }

    fn sentence(&self) -> &'static str {
        "A unified diff; its context is located, so that wrong line numbers and counts do no harm."
    }

    fn recognises(&self, payload: &Sample<'_>) -> bool {
        matches!(payload, Sample::Text(text) if fits(text))
    }

    fn translate(&self, payload: &str, setting: &Setting<'_>) -> Result<Translation, Refusal> {
        let mut gathered = Gathered::default();
        let mut plans = Vec::new();
        for file in files(payload, setting.path.is_some())? {
            let line = file.line;
            let at_line = |mut refusal: Refusal| {
                refusal.line = refusal.line.or(Some(line));
                refusal
            };
            let deed = deed(&file, setting).map_err(at_line)?;
            // What is copied is the file as it was, so that comes before all else.
            if let Deed::Copy { from, to } = &deed {
                gathered.alone(
                    from,
                    Said::copied(from, to),
                    vec![Edit { to: Some(to.clone()), ..edit("copy") }],
                );
            }
            plans.push((file, deed));
        }
        for (file, deed) in in_order(plans)? {
            let line = file.line;
            gathered.take(file, deed).map_err(|mut refusal| {
                refusal.line = refusal.line.or(Some(line));
                refusal
            })?;
        }
        let wanted =
            Wanted { files: gathered.entries.into_files(), warnings: gathered.warnings, ..Wanted::default() };
        let words = Box::new(DiffWords { entries: gathered.said });
        Ok(Translation { dialect: self.name(), asked: Asked::Job(wanted), words })
    }

    fn say_refusal(&self, error: &WireError) -> String {
        refused(error)
    }
}

/// What is said of files that take each other's names.
const SWAP: &str = "this rename and others exchange the names of files, so that none makes room; send what changes in each file (`git diff --no-renames`)";

/// The files of a diff so that each makes room before another takes its name: every name is that of the files as they
/// were.
///
/// # Errors
/// `unsupported` where they take each other's.
fn in_order(plans: Vec<(FilePatch<'_>, Deed)>) -> Result<Vec<(FilePatch<'_>, Deed)>, Refusal> {
    let leaves = |(index, (_, deed)): (usize, &(FilePatch<'_>, Deed))| match deed {
        Deed::Rename { from, .. } | Deed::Delete(from) => Some((from.clone(), index)),
        Deed::Change(_) | Deed::Create(_) | Deed::Copy { .. } => None,
    };
    let leaving: HashMap<WirePath, usize> = plans.iter().enumerate().filter_map(leaves).collect();
    let first = |index: usize| match plans.get(index) {
        Some((_, Deed::Rename { to, .. })) => leaving.get(to).copied(),
        _ => None,
    };
    let mut seen = vec![false; plans.len()];
    let mut order = Vec::with_capacity(plans.len());
    for index in 0..plans.len() {
        let (mut chain, mut next) = (Vec::new(), Some(index));
        while let Some(at) = next
            && let Some(seen) = seen.get_mut(at).filter(|seen| !**seen)
        {
            *seen = true;
            chain.push(at);
            next = first(at);
        }
        if let Some((file, _)) = next.filter(|at| chain.contains(at)).and_then(|at| plans.get(at)) {
            return Err(fault(file.line, Code::Unsupported, SWAP));
        }
        order.extend(chain.into_iter().rev());
    }
    let mut plans: Vec<Option<_>> = plans.into_iter().map(Some).collect();
    Ok(order.into_iter().filter_map(|index| plans.get_mut(index)?.take()).collect())
}

/// What becomes of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Deed {
    Change(WirePath),
    Create(WirePath),
    Delete(WirePath),
    Rename { from: WirePath, to: WirePath },
    Copy { from: WirePath, to: WirePath },
}

/// What a diff says that becomes of a file.
///
/// # Errors
/// `malformed` where it names none, or two; `outside`.
fn deed(file: &FilePatch<'_>, setting: &Setting<'_>) -> Result<Deed, Refusal> {
    let pair = |(from, to): &(Option<Cow<'_, str>>, Option<Cow<'_, str>>)| match (from, to) {
        (None, None) => Ok(None),
        (Some(from), Some(to)) => Ok(Some((setting.inside(from)?, setting.inside(to)?))),
        _ => Err(fault(
            file.line,
            Code::Malformed,
            "only one of the two names of the file is there; send both",
        )),
    };
    if let Some((from, to)) = pair(&file.renamed)? {
        return Ok(if from == to { Deed::Change(from) } else { Deed::Rename { from, to } });
    }
    if let Some((from, to)) = pair(&file.copied)? {
        return Ok(Deed::Copy { from, to });
    }
    let path = |name: &str| setting.path_or(Some(name));
    match names(file) {
        (Some(Side::Nothing), Some(Side::Nothing)) => {
            Err(fault(file.line, Code::Malformed, "both names are `/dev/null`; name the file"))
        }
        (Some(Side::Nothing), Some(Side::File(new))) => Ok(Deed::Create(path(new)?)),
        (Some(Side::File(old)), Some(Side::Nothing)) => Ok(Deed::Delete(path(old)?)),
        (Some(Side::File(old)), Some(Side::File(new))) => {
            let path = one(file, old, new, setting)?;
            Ok(match (file.comes, file.goes) {
                (Some(_), _) => Deed::Create(path),
                (None, Some(_)) => Deed::Delete(path),
                (None, None) => Deed::Change(path),
            })
        }
        _ => Ok(Deed::Change(setting.path_or(None)?)),
    }
}

/// The name of one side, without its prefix.
#[derive(Clone, Copy)]
enum Side<'n> {
    /// No file.
    Nothing,
    /// A file.
    File(&'n str),
}

/// The names of both sides: without the prefixes of the line that announced them, else without usual ones.
fn names<'n>(file: &'n FilePatch<'_>) -> (Option<Side<'n>>, Option<Side<'n>>) {
    let announced = file.announced.as_ref().and_then(|(old, new)| {
        let is = |side: &Option<Name<'_>>, name: &str| !matches!(side, Some(Name::File(own)) if own != name);
        (is(&file.old, old) && is(&file.new, new)).then(|| prefixes(old, new))?
    });
    let side = |name: &'n Option<Name<'_>>, prefix: &str| {
        Some(match name.as_ref()? {
            Name::Nothing => Side::Nothing,
            Name::File(name) => Side::File(name.strip_prefix(prefix).unwrap_or(name)),
        })
    };
    match (announced, &file.old, &file.new) {
        (None, Some(Name::File(old)), Some(Name::File(new))) => {
            let (old, new) = without_prefixes(old, new);
            (Some(Side::File(old)), Some(Side::File(new)))
        }
        (announced, old, new) => {
            let (before, after) = announced.unwrap_or(("a/", "b/"));
            (side(old, before), side(new, after))
        }
    }
}

/// The one file that two names mean.
///
/// # Errors
/// `malformed` where they may mean two.
fn one(file: &FilePatch<'_>, old: &str, new: &str, setting: &Setting<'_>) -> Result<WirePath, Refusal> {
    let kept = [".orig", ".old", ".bak", "~"].iter().any(|end| old.strip_suffix(end) == Some(new));
    if old == new || kept {
        return setting.path_or(Some(new));
    }
    // What the request names is certain where both sides may mean it.
    if let (Some(_), Some(rest)) = (setting.path, bare(old).filter(|rest| bare(new) == Some(*rest))) {
        for name in [new, old, rest] {
            if let Ok(path) = setting.path_or(Some(name)) {
                return Ok(path);
            }
        }
    }
    let what =
        "the lines `---` and `+++` name two files; give one name, or say `rename from` and `rename to`";
    Err(fault(file.line, Code::Malformed, what))
}

/// The entries so far, and what is to be said of them.
#[derive(Default)]
struct Gathered {
    entries: Entries,
    said: Vec<Said>,
    warnings: Vec<String>,
}

impl Gathered {
    fn alone(&mut self, path: &WirePath, said: Said, edits: Vec<Edit>) {
        self.said.push(said);
        self.entries.alone(path.clone(), edits);
    }

    fn take(&mut self, file: FilePatch<'_>, deed: Deed) -> Result<(), Refusal> {
        if [file.comes, file.goes, file.mode].contains(&Some(Mode::Other)) {
            let what = "a link or a submodule is no file that can be edited; change it otherwise";
            return Err(fault(file.line, Code::Unsupported, what));
        }
        let mode = match file.mode.or(file.comes) {
            Some(Mode::File(bits)) => {
                Some(Edit { mode: Some(FileMode::Octal(format!("{bits:o}"))), ..edit("chmod") })
            }
            _ => None,
        };
        let changes = !file.hunks.is_empty() || mode.is_some();
        match deed {
            Deed::Create(path) => {
                let mut edits = vec![Edit { text: Some(content(&file)?), ..edit("create") }];
                edits.extend(mode.filter(|_| file.comes != Some(Mode::File(0o644))));
                self.alone(&path, Said::created(&path), edits);
            }
            Deed::Delete(path) => {
                if let [hunk] = file.hunks.as_slice() {
                    self.warn(hunk);
                    self.alone(&path, Said::changed(&path, &file.hunks), vec![whole(hunk)?]);
                } else if !file.hunks.is_empty() {
                    let what = "a file that goes is one hunk; send all of its lines";
                    return Err(fault(file.line, Code::Malformed, what));
                }
                self.alone(&path, Said::deleted(&path), vec![edit("delete")]);
            }
            Deed::Copy { to, .. } if !changes => self.entries.close(&to),
            Deed::Copy { to: path, .. } | Deed::Change(path) => {
                if !changes {
                    let what = "the diff says nothing of this file; leave it out, or send its hunks";
                    return Err(fault(file.line, Code::Malformed, what));
                }
                self.change(&path, file.hunks, mode)?;
            }
            Deed::Rename { from, to } => {
                let entry = self.change(&from, file.hunks, mode)?;
                self.entries.close(&from);
                self.entries.close(&to);
                if let Some(said) = self.said.get_mut(entry) {
                    said.to = Some(to.clone());
                }
                self.entries.add(entry, Edit { to: Some(to), ..edit("rename") });
            }
        }
        Ok(())
    }

    fn change(&mut self, path: &WirePath, hunks: Vec<Hunk>, mode: Option<Edit>) -> Result<usize, Refusal> {
        let entry = self.entries.shared(path);
        if self.said.len() < self.entries.len() {
            self.said.push(Said::changed(path, &[]));
        }
        for hunk in hunks {
            self.warn(&hunk);
            if let Some(said) = self.said.get_mut(entry) {
                said.hunks.push(hunk.line);
            }
            self.entries.add(entry, native(hunk)?);
        }
        if let Some(mode) = mode {
            self.entries.add(entry, mode);
        }
        Ok(entry)
    }

    /// Says where a header counts otherwise.
    fn warn(&mut self, hunk: &Hunk) {
        let Some(numbers) = hunk.numbers else { return };
        let (said, counted) = ((numbers.old.1, numbers.new.1), hunk.body.counts);
        if said != counted && self.warnings.len() < limits::SAID {
            self.warnings.push(format!(
                "line {}: the header counts {} and {} lines, and the hunk has {} and {}; what it has was taken",
                hunk.line, said.0, said.1, counted.0, counted.1
            ));
        }
    }
}

/// The content of a file that comes.
fn content(file: &FilePatch<'_>) -> Result<String, Refusal> {
    let mut text = String::new();
    for hunk in &file.hunks {
        let mut last = true;
        for line in hunk.body.text.split_inclusive('\n') {
            match line.strip_prefix('+') {
                Some(line) => {
                    text.push_str(line);
                    last = false;
                }
                None if line.starts_with('\\') && !last => {
                    text.pop();
                    last = true;
                }
                None => {
                    let what =
                        "a file that comes has only lines with `+`; name the file that is there otherwise";
                    return Err(fault(hunk.line, Code::Malformed, what));
                }
            }
        }
    }
    Ok(text)
}

/// The hunk of a file that goes: it must be all of it.
fn whole(hunk: &Hunk) -> Result<Edit, Refusal> {
    if hunk.body.counts.0 == 0 || hunk.body.counts.1 > 0 {
        let what = "a file that goes has only lines with `-`; send all of its lines";
        return Err(fault(hunk.line, Code::Malformed, what));
    }
    // The mark goes with the file.
    let text =
        hunk.body.text.replacen("-\u{feff}", "-", usize::from(hunk.body.text.starts_with("-\u{feff}")));
    Ok(Edit { text: Some(text), all: Some(true), ..edit("hunk") })
}

fn native(hunk: Hunk) -> Result<Edit, Refusal> {
    let near = hunk.numbers.map(|numbers| numbers.old.0);
    let text = if near.is_some_and(|line| line <= 1) {
        match unmarked(&hunk.body.text) {
            Marked::Kept(text) => text.into_owned(),
            Marked::Changed => {
                let what =
                    "a byte order mark stays as it is; leave it where it is on both sides, or on neither";
                return Err(fault(hunk.line, Code::Unsupported, what));
            }
        }
    } else {
        hunk.body.text
    };
    let base = Edit { text: Some(text), eol: Some("literal".to_owned()), ..edit("hunk") };
    if hunk.body.counts.0 > 0 {
        return Ok(Edit { near: near.filter(|line| *line > 0), ..base });
    }
    match hunk.numbers {
        Some(numbers) if numbers.old.1 == 0 => {
            Ok(Edit { at: Some(Position::Line(numbers.old.0.saturating_add(1))), ..base })
        }
        _ => {
            Err(fault(hunk.line, Code::Malformed, "the hunk quotes no line of the file; add one of context"))
        }
    }
}
