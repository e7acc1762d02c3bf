struct A;

/// One.
#[x]
impl A {
    // c
    fn a(&self) {}
}
impl A {
    fn b() {}
}
