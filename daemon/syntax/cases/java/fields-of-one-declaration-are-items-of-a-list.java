class A {
    /** Three. */
    private int a = 1, b[], c;
    public static final String NAME = "x"; // its name
    Runnable later = () -> { int local = 1; };
    Runnable old = new Runnable() {
        public void run() { }
    };

    static { NAME.length(); }
    { a = 2; }
}
