// Licence.

package com.example;

import java.util.List;

/** What it is. */
@Singleton
public class Store<T> extends Base implements Closeable {

    // not about the next one

    /** By number. */
    @Override
    public T get(int at) throws IOException {
        return items[at];
    }

    /** By name. */
    public T get(String name) { return null; } // never found

    public Store() {
        this(16);
    }

    protected Store(int size) { }

    abstract <U extends T> U get(List<? super U> from);
}
