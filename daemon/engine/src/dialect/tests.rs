//! Tests of what all dialects share. They translate no real payload.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use editd_proto::error::Code;
use editd_proto::path::WirePath;

use super::*;

#[test]
fn an_absolute_path_inside_is_made_relative() {
    let roots = [b"/w".to_vec()];
    let setting = Setting { path: None, roots: &roots, limit: 100 };
    assert_eq!(setting.inside("/w/a b.txt").unwrap(), WirePath::from("a b.txt"));
    for spelt in ["a/b", "./a/b", "a//b", "a/./b", "././/a/b", "/w//a/./b"] {
        assert_eq!(setting.inside(spelt).unwrap(), WirePath::from("a/b"), "{spelt}");
    }
    for kept in ["a/b/", "../a", "a/../b", ".a", "a/.b"] {
        assert_eq!(setting.inside(kept).unwrap(), WirePath::from(kept), "{kept}");
    }
    assert_eq!(setting.inside("a/b/.").unwrap(), WirePath::from("a/b/"));
    assert_eq!(setting.inside("./").unwrap_err().code, Code::Malformed);
    for folder in ["/w", "/w/"] {
        assert!(setting.inside(folder).unwrap_err().message.contains("the workspace's folder"), "{folder}");
    }
    for outside in ["/wx/a", "/wx", "/etc/passwd"] {
        assert_eq!(setting.inside(outside).unwrap_err().code, Code::Outside, "{outside}");
    }
    assert_eq!(setting.inside(" ").unwrap_err().code, Code::Malformed);
}

#[test]
fn every_dialect_has_a_name_of_its_own() {
    let names: std::collections::BTreeSet<&str> = list().map(|(name, _)| name).collect();
    assert_eq!(names.len(), list().count());
    let setting = Setting { path: None, roots: &[], limit: 100 };
    for payload in ["", "{}", "{\"files\": []}", "hello", "[1]"] {
        assert_eq!(translate(None, payload, &setting).err().unwrap().code, Code::Malformed, "{payload}");
    }
    assert_eq!(translate(Some("none"), "x", &setting).err().unwrap().code, Code::Malformed);
    assert_eq!(translate(None, &"x".repeat(101), &setting).err().unwrap().code, Code::TooLarge);
}
