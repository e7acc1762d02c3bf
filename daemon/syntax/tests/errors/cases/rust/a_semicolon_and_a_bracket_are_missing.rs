fn a() {
    let x = 5
    let y = 6;
}
fn b( {
}
