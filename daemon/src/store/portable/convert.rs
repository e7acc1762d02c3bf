//! Converts fields of lines from and to the types of the journal's records. Pure.

use editd_proto::ids::ContentHash;

use super::line::StateLine;
use crate::os::FileIdentity;
use crate::record::{ChangeMethod, FileMeta};

/// The names of [`ChangeMethod`] in a file.
const METHODS: [(&str, ChangeMethod); 6] = [
    ("swap", ChangeMethod::Swap),
    ("create", ChangeMethod::Create),
    ("delete", ChangeMethod::Delete),
    ("in_place", ChangeMethod::InPlace),
    ("nothing", ChangeMethod::Nothing),
    ("rescued", ChangeMethod::Rescued),
];

/// Returns the name of a way in which a change is made.
pub fn method_name(how: ChangeMethod) -> &'static str {
    METHODS.iter().find(|(_, method)| *method == how).map_or("nothing", |(name, _)| name)
}

/// Returns the way in which a change is made.
pub fn method(name: &str) -> Option<ChangeMethod> {
    METHODS.iter().find(|(known, _)| *known == name).map(|(_, method)| *method)
}

/// Parses 64 lower-case hexadecimal digits.
pub fn hash(hex: &str) -> Option<ContentHash> {
    let digit = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let digits: Vec<u8> = hex.bytes().map(digit).collect::<Option<_>>()?;
    let bytes: Vec<u8> =
        digits.chunks_exact(2).map(|pair| pair.iter().fold(0, |sum, one| sum << 4 | one)).collect();
    (digits.len() == 64).then_some(())?;
    Some(ContentHash::from_bytes(bytes.try_into().ok()?))
}

impl From<&FileMeta> for StateLine {
    fn from(meta: &FileMeta) -> Self {
        let known = meta.mode != 0 || meta.identity.ino != 0;
        Self {
            hash: meta.hash.hex(),
            size: meta.size,
            mode: known.then(|| format!("{:04o}", meta.mode)),
            uid: meta.uid,
            gid: meta.gid,
            modified: meta.modified,
        }
    }
}

impl StateLine {
    /// Returns the metadata; `None` if the hash or the mode is not valid. The identity of the file is not known.
    pub fn meta(&self) -> Option<FileMeta> {
        let mode = match &self.mode {
            Some(octal) => Some(u32::from_str_radix(octal, 8).ok().filter(|mode| *mode <= 0o7777)?),
            None => None,
        };
        // An identity of zeros and no mode mean that the mode is not known.
        let identity = FileIdentity { dev: 0, ino: u64::from(mode.is_some()), born: 0 };
        Some(FileMeta {
            hash: hash(&self.hash)?,
            size: self.size,
            mode: mode.unwrap_or(0),
            uid: self.uid,
            gid: self.gid,
            identity,
            modified: self.modified,
        })
    }
}
