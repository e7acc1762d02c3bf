fn a() {
    y();
}
}
fn c(a: u32, b u32) -> { let = 5; }
