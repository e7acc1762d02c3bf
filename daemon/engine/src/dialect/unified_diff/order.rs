//! The order in which the sections of a diff are applied. In the diff of one commit all names are those before the
//! commit, so a file is moved away before another takes its name; commits are applied one after the other. It reads
//! no file.

use std::collections::{HashMap, HashSet};

use editd_types::FilePath;

use super::operation::FileOperation;
use super::parse::FilePatch;

/// One step of applying a diff.
#[derive(Debug)]
pub(super) enum PatchStep<'p> {
    /// A copy of the file as it was.
    Copy {
        /// The file.
        from: FilePath,
        /// The path of the copy.
        to: FilePath,
        /// True if the copy is kept there until its target name is free.
        waits: bool,
    },
    /// A file is moved away, since another takes its name.
    Aside {
        /// The name that another file takes.
        from: FilePath,
        /// The name under which it is kept meanwhile.
        to: FilePath,
    },
    /// A section, and the name under which its file is kept meanwhile.
    Section(Box<FilePatch<'p>>, FileOperation, Option<FilePath>),
}

/// Returns the steps of a diff.
pub(super) fn steps(sections: Vec<(FilePatch<'_>, FileOperation)>) -> Vec<PatchStep<'_>> {
    let mut steps = Vec::with_capacity(sections.len());
    let mut batch = SectionBatch::default();
    for (file, operation) in sections {
        if !batch.takes(file.commit, &operation) {
            std::mem::take(&mut batch).finish(&mut steps);
        }
        batch.add(file, operation);
    }
    batch.finish(&mut steps);
    steps
}

/// Sections that may belong to one commit.
#[derive(Default)]
struct SectionBatch<'p> {
    sections: Vec<(FilePatch<'p>, FileOperation)>,
    /// The names of files before the commit, except those that are copied.
    olds: HashSet<FilePath>,
    /// The names of files after the commit.
    news: HashSet<FilePath>,
    created: HashSet<FilePath>,
}

/// Returns the old and the new name of a file.
fn names(operation: &FileOperation) -> (Option<&FilePath>, Option<&FilePath>) {
    match operation {
        FileOperation::Change(path) => (Some(path), Some(path)),
        FileOperation::Create(path) | FileOperation::Fill(path) => (None, Some(path)),
        FileOperation::Delete(path) => (Some(path), None),
        FileOperation::Rename { from, to } => (Some(from), Some(to)),
        FileOperation::Copy { to, .. } => (None, Some(to)),
    }
}

impl<'p> SectionBatch<'p> {
    /// Returns true if a section may belong to the same commit: the diff of a commit lists each file once.
    fn takes(&self, commit: u64, operation: &FileOperation) -> bool {
        let (old, new) = names(operation);
        let removes_created = matches!(operation, FileOperation::Delete(path) if self.created.contains(path));
        self.sections.last().is_none_or(|(file, _)| file.commit == commit)
            && !removes_created
            && !old.is_some_and(|path| self.olds.contains(path))
            && !new.is_some_and(|path| self.news.contains(path))
    }

    fn add(&mut self, file: FilePatch<'p>, operation: FileOperation) {
        let (old, new) = names(&operation);
        self.olds.extend(old.cloned());
        self.news.extend(new.cloned());
        if let FileOperation::Create(path) | FileOperation::Fill(path) = &operation {
            self.created.insert(path.clone());
        }
        self.sections.push((file, operation));
    }

    /// Adds its steps: first the copies, then the files that are moved away, then the sections.
    fn finish(self, steps: &mut Vec<PatchStep<'p>>) {
        let leaves = |(index, (_, operation)): (usize, &(FilePatch<'_>, FileOperation))| match operation {
            FileOperation::Rename { from, .. } | FileOperation::Delete(from) => Some((from.clone(), index)),
            _ => None,
        };
        let leaving: HashMap<FilePath, usize> = self.sections.iter().enumerate().filter_map(leaves).collect();
        let mut waits: HashMap<usize, FilePath> = HashMap::new();
        for (index, (_, operation)) in self.sections.iter().enumerate() {
            if let FileOperation::Copy { from, to } = operation {
                let wait = leaving.contains_key(to).then(|| aside(to));
                let to = wait.clone().unwrap_or_else(|| to.clone());
                steps.push(PatchStep::Copy { from: from.clone(), to, waits: wait.is_some() });
                waits.extend(wait.map(|wait| (index, wait)));
            }
        }
        let (order, cycles) = in_order(&self.sections, &leaving);
        for index in cycles {
            if let Some((_, FileOperation::Rename { from, .. })) = self.sections.get(index) {
                let to = aside(from);
                waits.insert(index, to.clone());
                steps.push(PatchStep::Aside { from: from.clone(), to });
            }
        }
        let mut sections: Vec<Option<_>> = self.sections.into_iter().map(Some).collect();
        steps.extend(order.into_iter().filter_map(|index| {
            let (file, operation) = sections.get_mut(index)?.take()?;
            Some(PatchStep::Section(Box::new(file), operation, waits.remove(&index)))
        }));
    }
}

/// Returns the order in which each file is moved away before another takes its name, and one file of each cycle of
/// names, which must be moved away before all others.
fn in_order(
    sections: &[(FilePatch<'_>, FileOperation)],
    leaving: &HashMap<FilePath, usize>,
) -> (Vec<usize>, Vec<usize>) {
    let first = |index: usize| {
        let (_, new) = sections.get(index).map(|(_, operation)| names(operation))?;
        leaving.get(new?).copied().filter(|other| *other != index)
    };
    let mut seen = vec![false; sections.len()];
    let (mut order, mut cycles) = (Vec::with_capacity(sections.len()), Vec::new());
    for index in 0..sections.len() {
        let (mut chain, mut next) = (Vec::new(), Some(index));
        while let Some(at) = next
            && let Some(seen) = seen.get_mut(at).filter(|seen| !**seen)
        {
            *seen = true;
            chain.push(at);
            next = first(at);
        }
        cycles.extend(next.filter(|at| chain.contains(at)));
        order.extend(chain.into_iter().rev());
    }
    (order, cycles)
}

/// Returns the name under which a file is kept while others take its name. Nothing is ever written there.
fn aside(path: &FilePath) -> FilePath {
    FilePath::new([path.as_bytes(), b".moved-aside"].concat())
}
