fn a() {}
fn b( {}
