//! The schemas of arguments, as short as they can be: a runtime sends them to the model with every request.

use serde_json::{Value, json};

/// Returns the schema of an object.
pub(super) fn object(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}

/// Returns the schema of a text.
pub(super) fn text() -> Value {
    json!({ "type": "string" })
}

/// Returns the schema of a whole number.
pub(super) fn number() -> Value {
    json!({ "type": "integer" })
}

/// Returns the schema of a whole number with a remark.
pub(super) fn number_that(is: &str) -> Value {
    json!({ "type": "integer", "description": is })
}

/// Returns the schema of a flag.
pub(super) fn flag() -> Value {
    json!({ "type": "boolean" })
}
