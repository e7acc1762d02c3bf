//! Comparison of a reply with the expected fields. Pure; other fields are ignored.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// Fits anything that is there.
pub const ANY: &str = "<any>";
/// Fits only what is not there.
pub const ABSENT: &str = "<absent>";

/// The values that later steps use from earlier replies.
pub type SavedValues = BTreeMap<String, Value>;

/// Returns one line for each field of `expect` that `actual` does not have; empty if it has all.
pub fn mismatches(expect: &Value, actual: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare("", expect, actual, &mut found);
    found
}

fn compare(at: &str, expect: &Value, actual: &Value, found: &mut Vec<String>) {
    match (expect, actual) {
        (Value::Object(expect), Value::Object(actual)) => {
            for (key, wanted) in expect {
                let at = format!("{at}.{key}");
                match (wanted.as_str(), actual.get(key)) {
                    (Some(ABSENT), None) => {}
                    (Some(ABSENT), Some(there)) => found.push(format!("{at}: should be absent, is {there}")),
                    (_, None) => found.push(format!("{at}: is absent, should be {wanted}")),
                    (_, Some(there)) => compare(&at, wanted, there, found),
                }
            }
        }
        (Value::Array(expect), Value::Array(actual)) if expect.len() == actual.len() => {
            for (i, (expect, actual)) in expect.iter().zip(actual).enumerate() {
                compare(&format!("{at}.{i}"), expect, actual, found);
            }
        }
        _ if fits(expect, actual) => {}
        _ => found.push(format!("{at}: should be {expect}, is {actual}")),
    }
}

/// Returns true if a value matches another that is neither a table nor a list of the same length.
pub fn fits(expect: &Value, actual: &Value) -> bool {
    match (expect, actual) {
        (Value::String(any), _) if any == ANY => true,
        (Value::String(expect), Value::String(actual)) => match expect.strip_prefix('~') {
            Some(part) => actual.contains(part),
            None => expect == actual,
        },
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        _ => expect == actual,
    }
}

/// The value with every `"$name"` that was saved put in, and every `"@$name"`, the version that a job left.
pub fn filled(value: &Value, saved: &SavedValues) -> Value {
    match value {
        Value::String(text) => {
            let job = text.strip_prefix("@$").and_then(|name| saved.get(name));
            let version = job.map(|job| Value::String(format!("@{job}")));
            let saved = || text.strip_prefix('$').and_then(|name| saved.get(name)).cloned();
            version.or_else(saved).unwrap_or_else(|| value.clone())
        }
        Value::Array(all) => all.iter().map(|one| filled(one, saved)).collect(),
        Value::Object(all) => Value::Object(
            all.iter().map(|(key, one)| (key.clone(), filled(one, saved))).collect::<Map<_, _>>(),
        ),
        _ => value.clone(),
    }
}

/// The field at a path of keys and numbers joined by dots.
pub fn pick<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(value, |value, key| match value {
        Value::Array(all) => all.get(key.parse::<usize>().ok()?),
        other => other.get(key),
    })
}
