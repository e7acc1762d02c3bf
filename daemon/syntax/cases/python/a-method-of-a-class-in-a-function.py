def outer():
    count = 0

    class Local:
        def method(self):
            def inner():
                return count

            return inner

    return Local


def outer():
    class Local:
        def method(self): return 2
    return Local
