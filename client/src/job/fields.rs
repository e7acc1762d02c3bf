//! Returns the field names of a message type, taken from the type itself. Decodes nothing.
//!
//! The protocol ignores unknown fields for compatibility with newer peers. But a misspelt `"exepct": 3` in a job must
//! be reported, since the edit would otherwise run without that check.

use std::fmt;

use editd_proto::operation::nearest;
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde_json::{Map, Value};

/// Records the fields of a map that `T` does not have, each with a similar name.
pub(super) fn check<'de, T: Deserialize<'de>>(
    map: &Map<String, Value>,
    place: &str,
    stray: &mut Vec<String>,
) {
    let fields = of::<T>();
    let unknown = map.keys().filter(|key| !fields.contains(&key.as_str()));
    let told: Vec<String> = unknown
        .map(|name| {
            let near = nearest(name, fields).map_or_else(String::new, |near| format!(" (use `{near}`)"));
            format!("{}{near}", Value::from(name.as_str()))
        })
        .collect();
    if !told.is_empty() {
        let word = if told.len() == 1 { "field" } else { "fields" };
        stray.push(format!(
            "{place}: there is no {word} {}; there are {}",
            told.join(", "),
            fields.join(", ")
        ));
    }
}

/// Returns the field names of a struct, as they are written on the wire.
pub(super) fn of<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    match T::deserialize(FieldProbe) {
        Err(FieldNames(fields)) => fields,
        Ok(_) => &[],
    }
}

/// A deserializer that only records the fields for which the type asks.
struct FieldProbe;

#[derive(Debug)]
struct FieldNames(&'static [&'static str]);

impl fmt::Display for FieldNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "fields {}", self.0.join(", "))
    }
}

impl std::error::Error for FieldNames {}

impl de::Error for FieldNames {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self(&[])
    }
}

impl<'de> Deserializer<'de> for FieldProbe {
    type Error = FieldNames;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, FieldNames> {
        Err(FieldNames(fields))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, FieldNames> {
        Err(FieldNames(&[]))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}
