namespace a::b {
namespace {
int hidden;
}
inline namespace v1 {
void versioned();
}
}

namespace short_name = a::b;

std::ostream& operator<<(std::ostream& out, int x) { return out; }
void* operator new(size_t size);
long double operator"" _deg(long double);

auto square = [](int x) { int local = x; return local * x; };
std::string greeting = "hello", parting{"bye"};
std::string shop::Store::name;
auto [left, right] = both();

TEST(Suite, DoesOneThing) {
    EXPECT_EQ(1, 2);
}
TEST(Suite, DoesAnother) { struct Local { int q; }; }

extern "C" {
void from_c(void);
}
extern "C" int one_from_c() { return 1; }

class EXPORTED Window {
public:
    void show();
    int width;
};

enum class Colour : unsigned char { RED, GREEN };
