struct Foo<T>(T);

impl<T> Foo<T> {
    pub const MAX: usize = 10;

    pub fn new(value: T) -> Self {
        Self(value)
    }
}

impl<T: Clone> Foo<T> {
    fn copy(&self) -> T {
        self.0.clone()
    }
}

impl<T> From<T> for Foo<T>
where
    T: Sized,
{
    fn from(value: T) -> Self {
        Self(value)
    }
}

unsafe impl<T> Send for Foo<T> {}

impl<'a, T> IntoIterator
    for &'a Foo<T>
{
    type Item = &'a T;
    type IntoIter = std::iter::Once<&'a T>;

    fn into_iter(self) -> Self::IntoIter {
        std::iter::once(&self.0)
    }
}

impl<T> Trait for Vec<T> {}
impl dyn Trait + 'static {}
impl std::fmt::Debug for crate::inner::Other {
    fn fmt(&self) {}
}
