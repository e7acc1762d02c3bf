//! Decodes the body of a message into a generic value, from which the replies are built. This reduces the size of the
//! program: the MessagePack decoder is compiled once instead of once per reply type.

use std::fmt;

use editd_proto::codec::Message;
use serde::de::value::{Error, MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{DeserializeOwned, Error as _, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::CallError;

/// Decodes the body of a message.
pub(super) fn read<T: DeserializeOwned>(message: &Message) -> Result<T, CallError> {
    let value: BodyValue = message.body().map_err(|error| CallError::Garbled(error.to_string()))?;
    T::deserialize(value).map_err(|error| CallError::Garbled(error.to_string()))
}

/// A MessagePack value.
#[derive(Debug)]
enum BodyValue {
    Nil,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(String),
    Bytes(Vec<u8>),
    List(Vec<BodyValue>),
    Map(Vec<(String, BodyValue)>),
}

impl<'de> Deserialize<'de> for BodyValue {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(BodyVisitor)
    }
}

struct BodyVisitor;

impl<'de> Visitor<'de> for BodyVisitor {
    type Value = BodyValue;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<BodyValue, E> {
        Ok(BodyValue::Nil)
    }

    fn visit_bool<E>(self, value: bool) -> Result<BodyValue, E> {
        Ok(BodyValue::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<BodyValue, E> {
        Ok(BodyValue::Unsigned(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<BodyValue, E> {
        Ok(BodyValue::Signed(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<BodyValue, E> {
        Ok(BodyValue::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<BodyValue, E> {
        Ok(BodyValue::Text(value.to_owned()))
    }

    fn visit_bytes<E>(self, value: &[u8]) -> Result<BodyValue, E> {
        Ok(BodyValue::Bytes(value.to_vec()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<BodyValue, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = from.next_element()? {
            values.push(value);
        }
        Ok(BodyValue::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<BodyValue, A::Error> {
        let mut values = Vec::new();
        while let Some(entry) = from.next_entry()? {
            values.push(entry);
        }
        Ok(BodyValue::Map(values))
    }
}

impl IntoDeserializer<'_, Error> for BodyValue {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for BodyValue {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Self::Nil => visitor.visit_unit(),
            Self::Bool(value) => visitor.visit_bool(value),
            Self::Unsigned(value) => visitor.visit_u64(value),
            Self::Signed(value) => visitor.visit_i64(value),
            Self::Float(value) => visitor.visit_f64(value),
            Self::Text(value) => visitor.visit_string(value),
            Self::Bytes(value) => visitor.visit_byte_buf(value),
            Self::List(values) => {
                let mut from = SeqDeserializer::new(values.into_iter());
                let made = visitor.visit_seq(&mut from)?;
                from.end().map(|()| made)
            }
            Self::Map(values) => visitor.visit_map(MapDeserializer::new(values.into_iter())),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Self::Nil => visitor.visit_none(),
            value => visitor.visit_some(value),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self {
            Self::Text(word) => visitor.visit_enum(word.into_deserializer()),
            Self::Map(values) => {
                visitor.visit_enum(MapAccessDeserializer::new(MapDeserializer::new(values.into_iter())))
            }
            _ => Err(Error::custom("no variant of an enum")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier
    }
}

#[cfg(test)]
mod tests;
