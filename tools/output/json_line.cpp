#include "output/json_line.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "output/standard.hpp"

namespace evname::tools {

JsonLine::JsonLine(std::string* out) : out_(out) { json_.begin_object(); }

JsonLine::~JsonLine() {
  json_.end_object();
  line_ += '\n';
  out_ != nullptr ? void(*out_ += line_) : void(to_stdout(line_));
}

JsonLine& JsonLine::text(std::string_view name, std::string_view value) {
  json_.key(name).text(value);
  return *this;
}

JsonLine& JsonLine::texts(std::string_view name, std::span<const std::string> values) {
  json_.key(name).texts(values);
  return *this;
}

JsonLine& JsonLine::object(std::string_view name,
                           std::span<const std::pair<std::string_view, std::string_view>> members) {
  json_.key(name).object([&] {
    for (const auto& [inner, value] : members) json_.key(inner).text(value);
  });
  return *this;
}

JsonLine& JsonLine::hex(std::string_view name, std::uint64_t value) {
  return text(name, fmt::format("{:#x}", value));
}

JsonLine& JsonLine::words(const Code& code) {
  constexpr const char* kKeys[EVNAME_CONFIG_WORDS] = {"config", "config1", "config2", "config3",
                                                      "config4"};
  for (std::size_t i = 0; i < EVNAME_CONFIG_WORDS; ++i)
    if (i < 4 || code.config[i] != 0) hex(kKeys[i], code.config[i]);
  return *this;
}

JsonLine& JsonLine::number(std::string_view name, std::uint64_t value) {
  json_.key(name).number(value);
  return *this;
}

JsonLine& JsonLine::number_text(std::string_view name, std::string_view digits) {
  json_.key(name).digits(digits);
  return *this;
}

JsonLine& JsonLine::numbers(std::string_view name, std::span<const std::uint64_t> values) {
  json_.key(name).each(values, [&](std::uint64_t value) { json_.number(value); });
  return *this;
}

JsonLine& JsonLine::seconds(std::string_view name, std::uint64_t ns) {
  return number_text(name, seconds_text(ns));
}

JsonLine& JsonLine::real(std::string_view name, double value) {
  json_.key(name).real(value);
  return *this;
}

JsonLine& JsonLine::boolean(std::string_view name, bool value) {
  json_.key(name).flag(value);
  return *this;
}

JsonLine& JsonLine::null(std::string_view name) {
  json_.key(name).null();
  return *this;
}

}  // namespace evname::tools
