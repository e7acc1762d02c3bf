//! Structs that remember the names of fields which they do not have. On the wire such fields are ignored elsewhere, for the
//! sake of newer peers; in an edit a guard that is misspelt (`exepct`) must not be lost.

use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{
    DeserializeSeed, Deserializer, Error, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};

use crate::limits;

/// Names that are kept of one struct: a refusal lists fewer.
const KEPT: usize = 16;

/// Reads a struct through `read`, and notes the fields that it does not have.
pub(super) struct Strict<'u, D> {
    pub(super) from: D,
    pub(super) unknown: &'u mut Vec<String>,
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Strict<'_, D> {
    type Error = D::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.from.deserialize_struct(name, fields, Noting { inner: visitor, fields, unknown: self.unknown })
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.from.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// A struct's visitor, or the access to its map, which is shown only the fields that the struct has.
struct Noting<'u, T> {
    inner: T,
    fields: &'static [&'static str],
    unknown: &'u mut Vec<String>,
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Noting<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(Noting { inner: map, fields: self.fields, unknown: self.unknown })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<V::Value, A::Error> {
        self.inner.visit_seq(list)
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Noting<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        loop {
            match self.inner.next_key_seed(FieldName(self.fields))? {
                None => return Ok(None),
                Some(Ok(known)) => return seed.deserialize(known.into_deserializer()).map(Some),
                Some(Err(unknown)) => {
                    self.inner.next_value::<IgnoredAny>()?;
                    if self.unknown.len() < KEPT {
                        self.unknown.push(unknown);
                    }
                }
            }
        }
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, A::Error> {
        self.inner.next_value_seed(seed)
    }
}

/// The name of a field: one of these, or else as it stands there.
struct FieldName(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for FieldName {
    type Value = Result<&'static str, String>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_identifier(self)
    }
}

impl Visitor<'_> for FieldName {
    type Value = Result<&'static str, String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        let known = self.0.iter().copied().find(|known| *known == name);
        Ok(known.ok_or_else(|| name.chars().take(limits::NAME).collect()))
    }
}

/// A list, or the one object that would stand in it.
pub(super) fn one_or_many<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Vec<T>, D::Error> {
    from.deserialize_any(OneOrMany(std::marker::PhantomData))
}

struct OneOrMany<T>(std::marker::PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrMany<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list, or one object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Vec<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(|one| vec![one])
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Vec<T>, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list))
    }
}
