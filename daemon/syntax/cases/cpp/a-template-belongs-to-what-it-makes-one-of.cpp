/// Pairs.
template <typename A, typename B = int>
class [[nodiscard]] Pair final : public Base<A> {
    A first_, second_{};
    static constexpr int size = 2, more;
    template <class C>
    C as() const { return C(); }
};

template <typename A, typename B>
B Pair<A, B>::swap(A a) { return a; }

template <>
struct hash<Pair<int, int>> {
    size_t operator()(int) const;
};

template <typename T>
concept Large = sizeof(T) > 8;

template <typename T>
using List = std::vector<T>;

template <typename T> T larger(T a, T b) { return a > b ? a : b; }
template <> int larger<int>(int a, int b) { return a; }
template class Pair<int, char>;
