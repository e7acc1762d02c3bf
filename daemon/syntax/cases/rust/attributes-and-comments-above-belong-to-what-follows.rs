//! Of the file.

// Of nothing: a blank line follows.

/// Documentation.
#[derive(Debug)] // why
// between
#[serde(rename_all = "kebab-case")]

pub(crate) struct A {
    /// Of the field.
    #[serde(default)]
    a: u8, // behind the field
    b: u8,
    // of nothing
}

mod inner {
    //! Of the module.

    // of f
    pub(super) unsafe extern "C" fn f() {} // behind f
      // indented otherwise
    const fn g() {}
}

/* in front */ fn beside() {}
fn one() {} /* two's */ fn two() {}
call!(); // of the call
async fn three() {}
