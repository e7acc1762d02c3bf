//! Pairs of indentations, taken one by one, until no mapping explains them all. It keeps two of them,
//! so that a window is judged without copying it.

use super::mapping::{IndentChange, IndentMapping};
use super::unit::{Kinds, Unit};
use crate::cut::Cut;
use crate::splice::{shared_end, shared_start};

/// The mappings that the pairs so far permit.
#[derive(Clone, Debug)]
pub(crate) struct Gauge<'a> {
    first: Option<(&'a str, &'a str)>,
    last: Option<(&'a str, &'a str)>,
    shift: Option<Shift>,
    scale: Option<Scale>,
    kinds: Kinds,
}

/// `search = Q + X`, `file = P + X`, as bytes.
#[derive(Clone, Copy, Debug)]
struct Shift {
    /// The shortest `Q`.
    search: usize,
    /// The length of the common start of all quoted indentations, and the same for the file's.
    common_search: usize,
    common_file: usize,
}

/// The search is `k` units deep, the file `k + deeper`.
#[derive(Clone, Copy, Debug)]
struct Scale {
    search: Unit,
    /// Known once two pairs differ in depth: the file's unit, and by how many steps it is deeper.
    file: Option<(Unit, i64)>,
}

impl<'a> Gauge<'a> {
    /// Creates a gauge without pairs. `unit` is the step of the searched text.
    pub(crate) fn new(unit: Option<Unit>) -> Self {
        let shift = Some(Shift { search: 0, common_search: usize::MAX, common_file: usize::MAX });
        let scale = unit.map(|search| Scale { search, file: None });
        Self { first: None, last: None, shift, scale, kinds: Kinds::default() }
    }

    /// Takes the indentations of one more line that is not blank. Returns true if a mapping is still possible.
    pub(crate) fn add(&mut self, search: &'a str, file: &'a str) -> bool {
        let pair = (search, file);
        // Most lines are as deep as the one before, and add no information.
        if self.last != Some(pair) {
            let first = *self.first.get_or_insert(pair);
            self.last = Some(pair);
            self.shift = self.shift.and_then(|shift| shift.with(first, pair));
            self.scale = self.scale.and_then(|scale| scale.with(first, pair));
            self.kinds = self.kinds.and(Kinds::of(file));
        }
        self.shift.is_some() || self.scale.is_some()
    }

    /// Returns true if there is a mapping.
    pub(crate) fn explains(&self) -> bool {
        let scaled = self.scale.is_some_and(|scale| scale.file.is_some());
        self.first.is_some() && (self.shift.is_some() || scaled)
    }

    /// Returns the mapping that explains every pair.
    pub(crate) fn mapping(&self) -> Option<IndentMapping> {
        let (search, file) = self.first?;
        let change = if let Some(shift) = self.shift {
            let there = (shift.search + file.len()).checked_sub(search.len())?;
            IndentChange::Shift {
                search: search.cut(0..shift.search).to_owned(),
                file: file.cut(0..there).to_owned(),
            }
        } else {
            let Scale { search, file } = self.scale?;
            let (file, deeper) = file?;
            IndentChange::Scale { search, file, deeper }
        };
        Some(IndentMapping::new(change, self.kinds))
    }
}

impl Shift {
    fn with(self, first: (&str, &str), (search, file): (&str, &str)) -> Option<Self> {
        if search.len() + first.1.len() != first.0.len() + file.len() {
            return None;
        }
        let shared = shared_end(search.as_bytes(), file.as_bytes());
        let next = Self {
            search: self.search.max(search.len() - shared),
            common_search: self.common_search.min(shared_start(first.0.as_bytes(), search.as_bytes())),
            common_file: self.common_file.min(shared_start(first.1.as_bytes(), file.as_bytes())),
        };
        let there = (next.search + file.len()).checked_sub(search.len())?;
        (next.search <= next.common_search && there <= next.common_file).then_some(next)
    }
}

impl Scale {
    fn with(self, first: (&str, &str), (search, file): (&str, &str)) -> Option<Self> {
        let depth = signed(self.search.depth(search)?)?;
        if let Some((unit, deeper)) = self.file {
            return (signed(unit.depth(file)?)? == depth + deeper).then_some(self);
        }
        let first_depth = signed(self.search.depth(first.0)?)?;
        if depth == first_depth {
            return (file == first.1).then_some(self);
        }
        let (wider, steps) = (signed(file.len())? - signed(first.1.len())?, depth - first_depth);
        if wider % steps != 0 {
            return None;
        }
        let (kinds, width) = (Kinds::of(file).and(Kinds::of(first.1)), usize::try_from(wider / steps).ok()?);
        let (own, unit) = match self.search {
            // The quoted lines are two steps apart or more: one tab of the file stands for a part of their step.
            Unit::Spaces(all) if kinds.tabs && !kinds.spaces && width > 1 && all.is_multiple_of(width) => {
                (Unit::Spaces(all / width), Unit::Tab)
            }
            own => (own, Unit::of_file(kinds, width)?),
        };
        let deeper = signed(unit.depth(first.1)?)? - signed(own.depth(first.0)?)?;
        let same = signed(unit.depth(file)?)? == signed(own.depth(search)?)? + deeper;
        same.then_some(Self { search: own, file: Some((unit, deeper)) })
    }
}

fn signed(count: usize) -> Option<i64> {
    i64::try_from(count).ok()
}
