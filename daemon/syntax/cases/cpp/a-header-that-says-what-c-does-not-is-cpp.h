#pragma once

#include <string>

namespace MACRO_NAMESPACE {

/** Widgets. */
class EXPORTED Widget final : public Base {
  Q_OBJECT

 public:
  explicit Widget(Base* parent = nullptr);
  ~Widget() override = default;

  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

}  // namespace MACRO_NAMESPACE
