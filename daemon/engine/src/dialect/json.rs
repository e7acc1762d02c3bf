//! Reads JSON payloads strictly, and refuses them with the name of the wrong field. It knows the fields of no dialect.

use std::fmt;

use editd_types::plain_type_error;
use serde::de::{DeserializeOwned, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use serde_path_to_error::{Path, Segment};

use crate::Refusal;
use crate::limits;
use crate::refusal::malformed;

/// Reads a payload as the fields of a dialect.
///
/// # Errors
/// `malformed` if the payload is not JSON, or if a field is unknown, missing or of another type. It names the field,
/// and the item if the field is in a list.
pub(super) fn read<T: DeserializeOwned>(payload: &str) -> Result<T, Refusal> {
    let value = value(payload)?;
    // Two steps: otherwise, a type error would give a line and a column, which would be taken for those of the file.
    serde_path_to_error::deserialize(value).map_err(|error| {
        let (place, item) = place(error.path());
        let why: String =
            plain_type_error(&error.inner().to_string()).chars().take(limits::JSON_MESSAGE).collect();
        let mut refusal = malformed(format!("{place}{why}; correct the payload"));
        refusal.edit = item;
        refusal
    })
}

/// Reads a payload as JSON in which no object has a field twice: it would be unknown which of the two is meant.
///
/// # Errors
/// `malformed`, with the name of such a field.
pub(super) fn value(payload: &str) -> Result<Value, Refusal> {
    let Once(value) = serde_json::from_str(payload).map_err(|error| {
        malformed(format!("the payload is not JSON that can be read ({error}); send one object"))
    })?;
    Ok(value)
}

/// A value in which no object has a field twice.
struct Once(Value);

impl<'de> Deserialize<'de> for Once {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OnceVisitor).map(Self)
    }
}

struct OnceVisitor;

impl<'de> Visitor<'de> for OnceVisitor {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Once(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            if object.contains_key(&name) {
                let name: String = name.chars().take(limits::EXCERPT).collect();
                return Err(A::Error::custom(format_args!("the field `{name}` is there twice")));
            }
            let Once(value) = fields.next_value()?;
            object.insert(name, value);
        }
        Ok(object.into())
    }
}

/// Returns JSON without the one code fence around it. Any other text is returned unchanged.
pub(super) fn unfenced(payload: &str) -> &str {
    let inner = || {
        let payload = payload.trim();
        let sign = payload.chars().next().filter(|sign| ['`', '~'].contains(sign))?;
        let (opening, rest) = payload.split_once('\n')?;
        let (inner, closing) = rest.rsplit_once('\n')?;
        let fence = opening.len() - opening.trim_start_matches(sign).len();
        let closing = closing.trim();
        let closed = closing.len() >= fence && closing.trim_start_matches(sign).is_empty();
        let inner = inner.trim();
        let json =
            inner.starts_with('{') && inner.ends_with('}') || inner.starts_with('[') && inner.ends_with(']');
        (fence >= FENCE && closed && json).then_some(inner)
    };
    inner().unwrap_or(payload)
}

/// The least characters of a fence.
const FENCE: usize = 3;

/// Returns the place in the payload, worded for people, and the 1-based number of the item.
fn place(path: &Path) -> (String, Option<u64>) {
    let (mut words, mut item) = (String::new(), None);
    for segment in path {
        let word = match segment {
            Segment::Map { key } => format!("`{}`", key.chars().take(limits::EXCERPT).collect::<String>()),
            Segment::Seq { index } => {
                let number = (*index as u64).saturating_add(1);
                item = Some(number);
                format!("item {number}")
            }
            Segment::Enum { .. } | Segment::Unknown => continue,
        };
        let gap = if words.is_empty() { "" } else { ", " };
        words = format!("{words}{gap}{word}");
    }
    if !words.is_empty() {
        words.push_str(": ");
    }
    (words, item)
}

/// Refuses a list that asks for nothing.
///
/// # Errors
/// `malformed` naming the list.
pub(super) fn not_empty<T>(field: &str, list: &[T]) -> Result<(), Refusal> {
    if list.is_empty() {
        return Err(malformed(format!("`{field}` is empty; say what to change")));
    }
    Ok(())
}

/// Makes an edit of each item of a list.
///
/// # Errors
/// The first that `make` gives, with the list and the item's number.
pub(super) fn each<T, E>(
    field: &str,
    list: Vec<T>,
    mut make: impl FnMut(T) -> Result<E, Refusal>,
) -> Result<Vec<E>, Refusal> {
    not_empty(field, &list)?;
    let numbered = |(number, item): (u64, T)| {
        make(item).map_err(|mut refusal| {
            refusal.message = format!("`{field}`, item {number}: {}", refusal.message);
            refusal.edit = Some(number);
            refusal
        })
    };
    (1..).zip(list).map(numbered).collect()
}
