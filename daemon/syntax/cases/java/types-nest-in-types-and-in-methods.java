public class Outer {
    enum Colour {
        /** Warm. */
        RED(1) { int shade() { return 2; } },
        GREEN,
        @Deprecated BLUE;

        private final int n;
        Colour(int n) { this.n = n; }
    }

    sealed interface Shape permits Circle {
        int SIDES = 4;
        default int sides() { return SIDES; }
        void draw();
    }

    record Point(int x, int y) implements Shape {
        Point {
            if (x < 0) throw new IllegalArgumentException();
        }
        static Point origin() { return new Point(0, 0); }
    }

    @interface Marker {
        String value() default "none";
    }

    void method() {
        class Local {
            void inner() { }
        }
        new Thread() {
            public void run() { }
        }.start();
    }
}
