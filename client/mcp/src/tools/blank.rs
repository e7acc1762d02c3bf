//! Leaves out the empty texts of an edit that stand for nothing: a runtime with strict schemas makes the model give every field.

use serde_json::{Map, Value};

use crate::arguments::is_blank;

/// The fields for which an empty text never has a meaning.
const NEVER_BLANK: [&str; 5] = ["lines", "symbol", "part", "insert", "rename_to"];

/// Removes such texts from an edit. An empty `content` stays if it may be all that the edit has, since it empties the file, and
/// an empty `new` if it may remove the place of `old`, `lines` or `symbol`.
pub(super) fn leave_out(edit: &mut Map<String, Value>) {
    for field in NEVER_BLANK {
        remove_blank(edit, field);
    }
    let gives = |edit: &Map<String, Value>, field: &str| {
        edit.get(field).is_some_and(|value| !value.is_null() && !is_blank(value))
    };
    let is_flagged = |value: &Value| matches!(value.as_str(), Some("true")) || value.as_bool() == Some(true);
    let deletes = edit.get("delete").is_some_and(is_flagged);
    let in_file = ["lines", "symbol"].iter().any(|field| gives(edit, field));
    let has_effect = in_file || deletes || ["insert", "rename_to"].iter().any(|field| gives(edit, field));
    let acts = deletes || gives(edit, "rename_to") || edit.get("new").is_some_and(Value::is_string);
    if acts && (has_effect || gives(edit, "old")) {
        remove_blank(edit, "content");
    }
    if has_effect || gives(edit, "content") {
        remove_blank(edit, "old");
    }
    let has_text = in_file || gives(edit, "old");
    if deletes || gives(edit, "content") || (gives(edit, "rename_to") && !has_text) {
        remove_blank(edit, "new");
    }
}

fn remove_blank(edit: &mut Map<String, Value>, field: &str) {
    if edit.get(field).is_some_and(is_blank) {
        edit.remove(field);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns the fields of an edit that are left if a model gives all of them.
    fn left(given: Value) -> Value {
        let mut edit = json!({
            "path": "a", "old": "", "new": "", "all": false, "lines": "", "symbol": "", "part": "", "insert": "",
            "content": "", "delete": false, "rename_to": ""
        });
        if let (Value::Object(edit), Value::Object(given)) = (&mut edit, given) {
            edit.extend(given);
            leave_out(edit);
            edit.retain(|name, value| name != "path" && *value != Value::Bool(false));
        }
        edit
    }

    #[test]
    fn an_edit_with_every_field_means_what_its_texts_say() {
        for (given, expected) in [
            (json!({ "old": "x", "new": "y" }), json!({ "old": "x", "new": "y" })),
            (json!({ "old": "x" }), json!({ "old": "x", "new": "" })),
            (json!({ "lines": "3-4" }), json!({ "lines": "3-4", "new": "" })),
            (
                json!({ "symbol": "f", "part": "body", "new": "y" }),
                json!({ "symbol": "f", "part": "body", "new": "y" }),
            ),
            (json!({ "insert": "end", "new": "y" }), json!({ "insert": "end", "new": "y" })),
            (json!({ "content": "y" }), json!({ "content": "y" })),
            (json!({ "delete": true }), json!({ "delete": true })),
            (json!({ "rename_to": "b" }), json!({ "rename_to": "b" })),
            (
                json!({ "rename_to": "b", "old": "x", "new": "y" }),
                json!({ "rename_to": "b", "old": "x", "new": "y" }),
            ),
        ] {
            assert_eq!(left(given), expected);
        }
    }

    #[test]
    fn texts_that_contradict_each_other_stay() {
        assert_eq!(left(json!({})), json!({ "old": "", "new": "", "content": "" }));
        assert_eq!(left(json!({ "new": "y" })), json!({ "old": "", "new": "y", "content": "" }));
        let both = json!({ "old": "x", "content": "y" });
        assert_eq!(left(both.clone()), both);
    }
}
