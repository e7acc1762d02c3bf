//! Checks a `hello` message: the protocol version and the names. Holds no connection state.

use crate::error::{ErrorCode, RequestError};
use crate::limits;
use crate::message::Hello;

/// Returns the protocol version for both sides: the first version of the client that the server supports.
///
/// # Errors
/// `unsupported` if there is no common version; `malformed` or `too_large` if a name is invalid.
pub fn negotiate(hello: &Hello) -> Result<u32, Box<RequestError>> {
    check_name("client", &hello.client)?;
    if let Some(session) = &hello.session {
        check_name("session", session)?;
    }
    let common = hello.protocol.iter().find(|version| limits::PROTOCOLS.contains(version));
    common.copied().ok_or_else(|| {
        let known: Vec<String> = limits::PROTOCOLS.iter().map(u32::to_string).collect();
        let message = format!("no common protocol version; this server speaks {}", known.join(", "));
        Box::new(RequestError::new(ErrorCode::Unsupported, message))
    })
}

/// Checks the name of a session, client, key, label or clipboard (`what`). It must not be empty, longer than
/// [`limits::NAME`] bytes, or contain control characters, since a terminal would execute them.
///
/// # Errors
/// `malformed`, or `too_large` with the limit in bytes.
pub fn check_name(what: &str, name: &str) -> Result<(), Box<RequestError>> {
    if name.is_empty() {
        return Err(refuse(format!("the {what} name is empty; give it a name")));
    }
    if name.len() > limits::NAME {
        let message = format!("the {what} name has {} bytes and the limit is {}", name.len(), limits::NAME);
        let mut error = Box::new(RequestError::new(ErrorCode::TooLarge, message));
        error.limit = Some(limits::NAME as u64);
        return Err(error);
    }
    if name.chars().any(char::is_control) {
        return Err(refuse(format!("the {what} name holds control characters; leave them out")));
    }
    Ok(())
}

fn refuse(message: String) -> Box<RequestError> {
    Box::new(RequestError::new(ErrorCode::Malformed, message))
}
