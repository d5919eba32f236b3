#include "output/json_line.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "evname/json.hpp"

namespace evname::tools {

JsonLine::JsonLine(std::string* out) : out_(out), json_(buffer_) { json_.StartObject(); }

JsonLine::~JsonLine() {
  json_.EndObject();
  buffer_.Put('\n');
  if (out_ != nullptr)
    out_->append(buffer_.GetString(), buffer_.GetSize());
  else
    std::fwrite(buffer_.GetString(), 1, buffer_.GetSize(), stdout);
}

void JsonLine::string(std::string_view value) {
  std::string text;  // RapidJSON would let bytes that are no UTF-8 through
  append_json_string(text, value);
  json_.RawValue(text.data(), text.size(), rapidjson::kStringType);
}

void JsonLine::key(std::string_view name) {
  json_.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
}

JsonLine& JsonLine::text(std::string_view name, std::string_view value) {
  key(name);
  string(value);
  return *this;
}

JsonLine& JsonLine::texts(std::string_view name, std::span<const std::string> values) {
  key(name);
  json_.StartArray();
  for (const std::string& value : values) string(value);
  json_.EndArray();
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
  json_.Uint64(value);
  return *this;
}

JsonLine& JsonLine::real(std::string_view name, double value) {
  key(name);
  json_.Double(value);
  return *this;
}

JsonLine& JsonLine::boolean(std::string_view name, bool value) {
  key(name);
  json_.Bool(value);
  return *this;
}

JsonLine& JsonLine::null(std::string_view name) {
  key(name);
  json_.Null();
  return *this;
}

}  // namespace evname::tools
