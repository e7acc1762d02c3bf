def a():
    pass

# of b
def b():
    return "\f"

def c(): pass