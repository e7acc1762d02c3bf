//! Decodes the body of a message in two steps: into values, and from these into its type. The MessagePack decoder is then
//! compiled once instead of once per type, and an error names the place of the field. It knows no kind of message.

use std::fmt;

use editd_types::plain_type_error;
use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer};
use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, de};

use super::error::CodecError;

/// A MessagePack value. Its text and bytes are those of the message.
#[derive(Debug)]
pub(super) enum BodyValue<'m> {
    Nil,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(&'m str),
    Bytes(&'m [u8]),
    List(Vec<BodyValue<'m>>),
    Map(Vec<(&'m str, BodyValue<'m>)>),
}

impl<'de> Deserialize<'de> for BodyValue<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(BodyVisitor)
    }
}

struct BodyVisitor;

impl<'de> Visitor<'de> for BodyVisitor {
    type Value = BodyValue<'de>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(BodyValue::Nil)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(BodyValue::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(BodyValue::Unsigned(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(BodyValue::Signed(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(BodyValue::Float(value))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Self::Value, E> {
        Ok(BodyValue::Text(value))
    }

    fn visit_borrowed_bytes<E>(self, value: &'de [u8]) -> Result<Self::Value, E> {
        Ok(BodyValue::Bytes(value))
    }

    // The check of the message has proved that it has as many elements as it declares.
    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
        let mut values = Vec::with_capacity(from.size_hint().unwrap_or(0));
        while let Some(value) = from.next_element()? {
            values.push(value);
        }
        Ok(BodyValue::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::with_capacity(from.size_hint().unwrap_or(0));
        while let Some(field) = from.next_entry()? {
            fields.push(field);
        }
        Ok(BodyValue::Map(fields))
    }
}

impl<'de> Deserializer<'de> for BodyValue<'de> {
    type Error = PlacedError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, PlacedError> {
        match self {
            Self::Nil => visitor.visit_unit(),
            Self::Bool(value) => visitor.visit_bool(value),
            Self::Unsigned(value) => visitor.visit_u64(value),
            Self::Signed(value) => visitor.visit_i64(value),
            Self::Float(value) => visitor.visit_f64(value),
            Self::Text(value) => visitor.visit_borrowed_str(value),
            Self::Bytes(value) => visitor.visit_borrowed_bytes(value),
            Self::List(values) => {
                let mut values = ListAccess { values: values.into_iter(), next: 0 };
                let made = visitor.visit_seq(&mut values)?;
                match values.values.len() {
                    0 => Ok(made),
                    _ => Err(PlacedError::of("it has a wrong number of elements".to_owned())),
                }
            }
            Self::Map(fields) => visitor.visit_map(FieldAccess { fields: fields.into_iter(), value: None }),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, PlacedError> {
        match self {
            Self::Nil => visitor.visit_none(),
            value => visitor.visit_some(value),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, PlacedError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, PlacedError> {
        match self {
            Self::Text(name) => visitor.visit_enum(BorrowedStrDeserializer::new(name)),
            Self::Map(fields) if fields.len() == 1 => {
                let field = FieldAccess { fields: fields.into_iter(), value: None };
                visitor.visit_enum(MapAccessDeserializer::new(field))
            }
            other => Err(de::Error::invalid_type(other.unexpected(), &"a name")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, PlacedError> {
        visitor.visit_unit()
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier
    }
}

impl BodyValue<'_> {
    fn unexpected(&self) -> de::Unexpected<'_> {
        match self {
            Self::Nil => de::Unexpected::Unit,
            Self::Bool(value) => de::Unexpected::Bool(*value),
            Self::Unsigned(value) => de::Unexpected::Unsigned(*value),
            Self::Signed(value) => de::Unexpected::Signed(*value),
            Self::Float(value) => de::Unexpected::Float(*value),
            Self::Text(value) => de::Unexpected::Str(value),
            Self::Bytes(value) => de::Unexpected::Bytes(value),
            Self::List(_) => de::Unexpected::Seq,
            Self::Map(_) => de::Unexpected::Map,
        }
    }
}

/// The elements of a list that were not read yet.
struct ListAccess<'m> {
    values: std::vec::IntoIter<BodyValue<'m>>,
    next: usize,
}

impl<'de> SeqAccess<'de> for &mut ListAccess<'de> {
    type Error = PlacedError;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, PlacedError> {
        let Some(value) = self.values.next() else { return Ok(None) };
        let index = self.next;
        self.next += 1;
        seed.deserialize(value).map(Some).map_err(|error| error.within_element(index))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.values.len())
    }
}

/// The fields of a map that were not read yet, and the one whose name was read.
struct FieldAccess<'m> {
    fields: std::vec::IntoIter<(&'m str, BodyValue<'m>)>,
    value: Option<(&'m str, BodyValue<'m>)>,
}

impl<'de> MapAccess<'de> for FieldAccess<'de> {
    type Error = PlacedError;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, PlacedError> {
        self.value = self.fields.next();
        let Some((name, _)) = &self.value else { return Ok(None) };
        seed.deserialize(BorrowedStrDeserializer::new(name)).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, PlacedError> {
        let Some((name, value)) = self.value.take() else {
            return Err(PlacedError::of("a value is read without its name".to_owned()));
        };
        seed.deserialize(value).map_err(|error| error.within(name))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.fields.len())
    }
}

/// The reason why a value does not fit its type, and the place of the value, such as `files[0].edits[1].near`. The place
/// of the body itself is empty.
#[derive(Debug)]
pub(super) struct PlacedError(Box<PlacedReason>);

#[derive(Debug)]
struct PlacedReason {
    place: String,
    reason: String,
}

// These functions are not copied into the code of each type.
impl PlacedError {
    #[cold]
    #[inline(never)]
    fn of(reason: String) -> Self {
        Self(Box::new(PlacedReason { place: String::new(), reason }))
    }

    /// Puts the field that contains the value in front of the place.
    #[cold]
    #[inline(never)]
    fn within(mut self, field: &str) -> Self {
        let place = &mut self.0.place;
        let dot = if place.is_empty() || place.starts_with('[') { "" } else { "." };
        place.insert_str(0, dot);
        place.insert_str(0, field);
        self
    }

    /// Puts the element that contains the value in front of the place.
    #[cold]
    #[inline(never)]
    fn within_element(self, index: usize) -> Self {
        self.within(&format!("[{index}]"))
    }

    /// Converts the error to the one that the peer sees.
    pub(super) fn into_codec_error(self) -> CodecError {
        match CodecError::refused(&self.0.reason) {
            CodecError::Body(_) => CodecError::body(self),
            limit => limit,
        }
    }
}

impl fmt::Display for PlacedError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PlacedReason { place, reason } = &*self.0;
        let colon = if place.is_empty() { "" } else { ": " };
        write!(out, "{place}{colon}{}", plain_type_error(reason))
    }
}

impl std::error::Error for PlacedError {}

impl de::Error for PlacedError {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        Self::of(reason.to_string())
    }
}

#[cfg(test)]
mod tests;
