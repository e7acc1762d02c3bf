//! Two versions of one file: what its authors changed from one to the next, as places. It knows nothing of how an
//! edit is said.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::change::ChangeSite;

/// Lines that an edit replaces or writes at most.
const MOST: usize = 40;

/// A folder and the numbers of its version.
type CrateVersion<'c> = (Vec<u64>, &'c PathBuf);

/// The folders of crates of which a later version is there too, each with the next one.
pub(super) fn later_versions(crates: &[PathBuf]) -> BTreeMap<PathBuf, PathBuf> {
    let mut named: BTreeMap<(PathBuf, &str), Vec<CrateVersion<'_>>> = BTreeMap::new();
    for folder in crates {
        let Some((name, version)) = folder.file_name().and_then(|name| name.to_str()).and_then(split) else {
            continue;
        };
        let place = folder.parent().unwrap_or(Path::new("")).to_owned();
        named.entry((place, name)).or_default().push((version, folder));
    }
    let mut later = BTreeMap::new();
    for versions in named.values_mut() {
        versions.sort();
        for pair in versions.windows(2) {
            later.insert(pair[0].1.clone(), pair[1].1.clone());
        }
    }
    later
}

/// The name and the version of a crate's folder.
fn split(name: &str) -> Option<(&str, Vec<u64>)> {
    let at =
        name.match_indices('-').find(|(at, _)| name[at + 1..].starts_with(|c: char| c.is_ascii_digit()))?.0;
    let numbers = name[at + 1..].split(['.', '-', '+']);
    Some((&name[..at], numbers.map_while(|part| part.parse().ok()).collect()))
}

/// Returns the changes from one list of lines to the next.
pub(super) fn changes(old: &[&str], new: &[&str]) -> Vec<ChangeSite> {
    let all = capture_diff_slices(Algorithm::Patience, old, new);
    all.iter()
        .filter(|change| change.tag() != DiffTag::Equal)
        .map(|change| (change.old_range(), change.new_range()))
        .filter(|(gone, come)| gone.len() <= MOST && come.len() <= MOST)
        // White space at line ends is what rungs drop: of a change of it nothing may be left in a disturbed payload.
        .filter(|(gone, come)| {
            old[gone.clone()].iter().chain(&new[come.clone()]).all(|line| line.trim_end() == *line)
        })
        .map(|(gone, come)| ChangeSite {
            first: gone.start,
            removed: gone.len(),
            new: new[come].iter().map(|line| (*line).to_owned()).collect(),
            phrase: None,
        })
        .collect()
}
