#include "output/json_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cmath>

#include "base/json_text.hpp"
#include "base/text.hpp"
#include "output/standard.hpp"

namespace evname::tools {

JsonLine::JsonLine(std::string* out) : out_(out) {}

JsonLine::~JsonLine() {
  line_ += "}\n";
  if (out_ != nullptr)
    *out_ += line_;
  else
    to_stdout(line_);
}

void JsonLine::key(std::string_view name) {
  if (line_.size() > 1) line_ += ',';
  append_json_string(line_, name);
  line_ += ':';
}

JsonLine& JsonLine::text(std::string_view name, std::string_view value) {
  key(name);
  append_json_string(line_, value);
  return *this;
}

JsonLine& JsonLine::texts(std::string_view name, std::span<const std::string> values) {
  key(name);
  line_ += '[';
  for (const std::string& value : values) {
    if (line_.back() != '[') line_ += ',';
    append_json_string(line_, value);
  }
  line_ += ']';
  return *this;
}

JsonLine& JsonLine::object(std::string_view name,
                           std::span<const std::pair<std::string_view, std::string_view>> members) {
  key(name);
  line_ += '{';
  for (const auto& [inner, value] : members) {
    if (line_.back() != '{') line_ += ',';
    append_json_string(line_, inner);
    line_ += ':';
    append_json_string(line_, value);
  }
  line_ += '}';
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
  key(name);
  line_ += std::to_string(value);
  return *this;
}

JsonLine& JsonLine::number_text(std::string_view name, std::string_view digits) {
  key(name);
  line_ += digits;
  return *this;
}

JsonLine& JsonLine::numbers(std::string_view name, std::span<const std::uint64_t> values) {
  return number_text(name, fmt::format("[{}]", fmt::join(values, ",")));
}

JsonLine& JsonLine::seconds(std::string_view name, std::uint64_t ns) {
  return number_text(name, seconds_text(ns));
}

JsonLine& JsonLine::real(std::string_view name, double value) {
  if (!std::isfinite(value)) return null(name);
  key(name);
  rapidjson::StringBuffer shortest;  // that reads back as the same number
  rapidjson::Writer<rapidjson::StringBuffer>(shortest).Double(value);
  line_.append(shortest.GetString(), shortest.GetSize());
  return *this;
}

JsonLine& JsonLine::boolean(std::string_view name, bool value) {
  key(name);
  line_ += value ? "true" : "false";
  return *this;
}

JsonLine& JsonLine::null(std::string_view name) {
  key(name);
  line_ += "null";
  return *this;
}

}  // namespace evname::tools
