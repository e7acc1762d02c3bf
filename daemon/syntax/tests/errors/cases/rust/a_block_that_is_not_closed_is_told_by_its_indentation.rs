impl X {
    fn a() {
        if x {
            y();
    }

    fn b() {}
}
