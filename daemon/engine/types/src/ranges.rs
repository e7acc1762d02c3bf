//! Line ranges as a short text: `10-12,40`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Line ranges, each with its first and last line, 1-based. If `last` is `first - 1`, lines were removed before line
/// `first`. They are serialized as text: `10-12,40,57-56`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LineRanges(pub Vec<(u64, u64)>);

impl LineRanges {
    /// Returns true if there are no ranges.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn parse(text: &str) -> Option<Self> {
        let range = |part: &str| match part.split_once('-') {
            Some((first, last)) => Some((first.parse().ok()?, last.parse().ok()?)),
            None => part.parse().ok().map(|line| (line, line)),
        };
        let parts = text.split(',').filter(|part| !part.is_empty());
        parts.map(range).collect::<Option<_>>().map(Self)
    }
}

impl std::fmt::Display for LineRanges {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (at, (first, last)) in self.0.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            match first == last {
                true => write!(f, "{comma}{first}")?,
                false => write!(f, "{comma}{first}-{last}")?,
            }
        }
        Ok(())
    }
}

impl Serialize for LineRanges {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for LineRanges {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Self::parse(&text)
            .ok_or_else(|| serde::de::Error::custom("ranges of lines are written as in `10-12,40`"))
    }
}
