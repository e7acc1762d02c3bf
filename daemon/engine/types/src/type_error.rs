//! The words in which a wrong type of a field is reported. Decodes nothing.

/// Translates a decoder's message about a wrong type into the terms of the documentation.
pub fn plain_type_error(explanation: &str) -> String {
    explanation
        .replace("expected u64", "expected a whole number")
        .replace("expected i64", "expected a whole number")
        .replace("a tuple of size 2", "a list of two")
        .replace("fewer elements in array", "fewer")
        .replace("expected f64", "expected a number")
        .replace("a sequence", "a list")
        .replace("sequence", "list")
        .replace("expected map with a single key", "expected an object with one field")
        .replace(
            "data did not match any variant of untagged enum FileMode",
            "use octal digits as text, such as \"755\"",
        )
}
