//! Where in a request a field is missing or of a wrong type. It is asked only once that is known, and mends nothing.

use editd_proto::codec::{CodecError, Message, plain};
use editd_proto::limits;
use rmp_serde::decode::Error;
use serde::de::DeserializeOwned;

/// The same error with the place of the field, such as `files[0].edits[1].near`, where it has one.
pub(super) fn placed<T: DeserializeOwned>(message: &Message, error: CodecError) -> CodecError {
    if !matches!(error, CodecError::Body(_)) {
        return error;
    }
    let mut from = rmp_serde::Deserializer::from_read_ref(message.bytes());
    from.set_max_depth(limits::DEPTH + 1);
    let Err(found) = serde_path_to_error::deserialize::<_, T>(&mut from) else { return error };
    let why = match found.inner() {
        // Where no number stands, only those are missed: all else names what it takes.
        Error::TypeMismatch(_) => "expected a number".to_owned(),
        Error::LengthMismatch(_) => "it has a wrong number of elements".to_owned(),
        other => plain(&other.to_string()),
    };
    // What lacks a field at the top has no place.
    match found.path().iter().next() {
        Some(_) => CodecError::body(format_args!("{}: {why}", found.path())),
        None => CodecError::body(why),
    }
}
