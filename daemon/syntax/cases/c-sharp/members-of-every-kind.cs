namespace Shop;

public class A
{
    private int a = 1, b, c;
    const int Size = 3;
    public event EventHandler Opened, Closed;
    public event EventHandler Moved { add { } remove { } }
    public int Short => a;
    public int Long { get { return 1; } private set { a = value; } }
    public int this[int i] { get => 1; }
    int IList<int>.this[int i] => 2;
    static A() { }
    public A() : base() { }
    ~A() { }
    public static A operator +(A l, A r) { return l; }
    public static implicit operator int(A x) => 1;
    void IDisposable.Dispose() { }
    public delegate void Done(int x);
#region old
#if OLD
    void OnlyOld() { }
#endif
#endregion
    extern static void Outside();
}

enum Colour { Red, [Warm] Green = 2 }
interface IShape { void Draw(); int Sides { get; } }
struct Point { public int X; }
record Person(string Name, int Age);
record struct Size { }
