mod file;
mod folded {
    pub static COUNT: u8 = 1;
}
const _: () = assert!(true);
const _: () = ();
static mut GLOBAL: [u8; 2] = [
    1, //
    2,
];
type Alias<T> = Vec<T>;
union U {
    a: u8,
    b: i8,
}
enum E {
    /// One.
    A,
    B(u8, String),
    C { x: u8 },
    D = 7,
}
pub trait T: Sized {
    type Item: Clone;
    const N: usize;
    const M: usize = 2;
    fn needed(&self);
    fn given(&self) -> u8 {
        0
    }
}
extern "C" {
    fn foreign(a: i32) -> i32;
    static errno: i32;
}
macro_rules! m {
    ($a:expr) => {
        $a
    };
    () => {};
}
macro_rules! n(() => {};);
fn outer() {
    fn nested() {
        struct Local;
        impl Local {
            fn deep(&self) {}
        }
    }
    let closure = || {
        fn in_closure() {}
    };
    const LOCAL: u8 = 1;
}
#[cfg(test)]
mod tests {
    #[test]
    fn it() {}
}
