//! Enums inside of a strict struct: a word, or a map of one field, such as `{"line": 3}`. A map with nothing but
//! unknown fields is read as a blank value, so that the rest of the message is still read and all unknown fields are
//! reported at once. The struct must then be refused because of them.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::SeqDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, IgnoredAny, IntoDeserializer, MapAccess, VariantAccess,
    Visitor,
};
use serde::forward_to_deserialize_any;

use super::{FieldName, UnknownFields};

/// The visitor of an enum.
pub(super) struct EnumVisitor<'n, V> {
    pub(super) inner: V,
    pub(super) variants: &'static [&'static str],
    pub(super) notes: UnknownFields<'n>,
}

impl<'de, V: Visitor<'de>> Visitor<'de> for EnumVisitor<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "one of {}", self.variants.join(", "))
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<V::Value, E> {
        self.inner.visit_enum(word.into_deserializer())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<V::Value, A::Error> {
        let Self { inner, variants, mut notes } = self;
        let (mut visitor, mut chosen, mut stray) = (Some(inner), None, false);
        while let Some(name) = map.next_key_seed(FieldName(variants))? {
            match (name, visitor.take()) {
                (Ok(variant), Some(inner)) => {
                    let value =
                        inner.visit_enum(NamedVariant { variant, map: &mut map, notes: &mut notes })?;
                    chosen = Some((variant, value));
                }
                (Ok(variant), None) => {
                    let first = chosen.as_ref().map_or("", |(first, _)| first);
                    let message = format_args!("it has `{first}` and `{variant}`; leave one of them out");
                    return Err(A::Error::custom(message));
                }
                (Err(unknown), inner) => {
                    visitor = inner;
                    stray = true;
                    map.next_value::<IgnoredAny>()?;
                    notes.add(unknown);
                }
            }
        }
        match (chosen, visitor) {
            (Some((_, value)), _) => Ok(value),
            (None, Some(inner)) if stray => inner.visit_enum(BlankVariant::of(variants)),
            _ => Err(A::Error::custom(format_args!("use one of {}", variants.join(", ")))),
        }
    }
}

/// The named variant, and the map that contains its value.
struct NamedVariant<'c, 'n, A> {
    variant: &'static str,
    map: &'c mut A,
    notes: &'c mut UnknownFields<'n>,
}

impl<'de, A: MapAccess<'de>> EnumAccess<'de> for NamedVariant<'_, '_, A> {
    type Error = A::Error;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), A::Error> {
        Ok((seed.deserialize(self.variant.into_deserializer())?, self))
    }
}

impl<'de, A: MapAccess<'de>> VariantAccess<'de> for NamedVariant<'_, '_, A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.map.next_value()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        self.notes.value(self.variant, seed, self.map)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, A::Error> {
        Err(A::Error::custom("a variant of several values is not read here"))
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value, A::Error> {
        Err(A::Error::custom("a variant with fields is not read here"))
    }
}

/// A deserializer that returns a blank value of the first variant.
struct BlankVariant<E> {
    variants: &'static [&'static str],
    error: PhantomData<E>,
}

impl<E> BlankVariant<E> {
    fn of(variants: &'static [&'static str]) -> Self {
        Self { variants, error: PhantomData }
    }
}

impl<'de, E: Error> EnumAccess<'de> for BlankVariant<E> {
    type Error = E;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), E> {
        let first = self.variants.first().copied().unwrap_or_default();
        Ok((seed.deserialize(first.into_deserializer())?, self))
    }
}

impl<'de, E: Error> VariantAccess<'de> for BlankVariant<E> {
    type Error = E;

    fn unit_variant(self) -> Result<(), E> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, E> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, E> {
        self.deserialize_tuple(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, E> {
        self.deserialize_any(visitor)
    }
}

impl<'de, E: Error> Deserializer<'de> for BlankVariant<E> {
    type Error = E;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_u64(0)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_str("")
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, E> {
        visitor.visit_seq(SeqDeserializer::new((0..len).map(|_| 0_u64)))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str bytes byte_buf option unit
        unit_struct newtype_struct seq tuple_struct map struct enum identifier ignored_any
    }
}
