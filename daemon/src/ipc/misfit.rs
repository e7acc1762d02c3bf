//! Finds the place of a missing or mistyped field in a request. It is called only for malformed requests, and repairs
//! nothing.

use editd_proto::codec::{CodecError, Message, plain_type_error};
use editd_proto::limits;
use rmp_serde::decode::Error;
use serde::de::DeserializeOwned;

/// Returns the same error with the path of the field, such as `files[0].edits[1].near`, if it has one.
pub(super) fn placed<T: DeserializeOwned>(message: &Message, error: CodecError) -> CodecError {
    if !matches!(error, CodecError::Body(_)) {
        return error;
    }
    let mut from = rmp_serde::Deserializer::from_read_ref(message.bytes());
    from.set_max_depth(limits::DEPTH + 1);
    let Err(found) = serde_path_to_error::deserialize::<_, T>(&mut from) else { return error };
    let why = match found.inner() {
        // Only a missing number has this error: all other types name the accepted values.
        Error::TypeMismatch(_) => "expected a number".to_owned(),
        Error::LengthMismatch(_) => "it has a wrong number of elements".to_owned(),
        other => plain_type_error(&other.to_string()),
    };
    // A field that is missing at the top has no path.
    match found.path().iter().next() {
        Some(_) => CodecError::body(format_args!("{}: {why}", found.path())),
        None => CodecError::body(why),
    }
}
