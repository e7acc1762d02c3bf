fn main() {
    let s = "abc;
    foo(1, 2;
}
