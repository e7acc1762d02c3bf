#include "store.h"

namespace shop {

class Store {
public:
    Store();
    explicit Store(int size) : size_(size) {}
    Store(const Store&) = delete;
    virtual ~Store();

    /// By number.
    int get(int at) const { return at; }
    /// By name.
    int get(const std::string& name) const;

    bool operator==(const Store& other) const;
    operator bool() const { return size_ > 0; }
    int operator()(int a) { return a; }
    int operator[](int at) const;
    // Not a member.
    friend bool operator<(const Store& a, const Store& b) { return a.size_ < b.size_; }
    friend class Keeper;
};

} // namespace shop

shop::Store::Store() : size_(0) {}

shop::Store::~Store() = default;

// Found by its name.
int shop::Store::get(const std::string& name) const {
    return 1;
}

bool shop::Store::operator == (const Store& other) const { return true; }
shop::Store::operator bool() const { return true; }
