#pragma once
// JSON as a tree. RapidJSON's own (document.h of 1.1) is not accepted by newer compilers.

#include <gtest/gtest.h>
#include <rapidjson/reader.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace evname::test {

/// Missing values are null.
struct JsonValue {
  bool is_null = true;
  double number = 0;
  std::uint64_t whole = 0;  ///< of a number that is no fraction
  std::string text;
  std::vector<JsonValue> items;
  std::map<std::string, JsonValue> members;

  const JsonValue& operator[](std::string_view key) const {
    static const JsonValue kNone;
    const auto at = members.find(std::string(key));
    return at == members.end() ? kNone : at->second;
  }
};

class JsonTree : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, JsonTree> {
 public:
  JsonValue root;

  bool Null() { return add({}); }
  bool Bool(bool value) { return add({false, value ? 1.0 : 0.0, value, {}, {}, {}}); }
  bool Int(int value) { return Int64(value); }
  bool Uint(unsigned value) { return Uint64(value); }
  bool Int64(std::int64_t value) {
    return add({false, static_cast<double>(value), static_cast<std::uint64_t>(value), {}, {}, {}});
  }
  bool Uint64(std::uint64_t value) {
    return add({false, static_cast<double>(value), value, {}, {}, {}});
  }
  bool Double(double value) { return add({false, value, 0, {}, {}, {}}); }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    return add({false, 0, 0, std::string(text, size), {}, {}});
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    keys_.back().assign(text, size);
    return true;
  }
  bool StartObject() { return open(); }
  bool StartArray() { return open(); }
  bool EndObject(rapidjson::SizeType) { return close(); }
  bool EndArray(rapidjson::SizeType) { return close(); }

 private:
  /// Values that are not complete are kept apart, with the key that is being read in each.
  bool open() {
    open_.emplace_back().is_null = false;
    keys_.emplace_back();
    return true;
  }
  bool close() {
    JsonValue done = std::move(open_.back());
    open_.pop_back();
    keys_.pop_back();
    return add(std::move(done));
  }
  bool add(JsonValue value) {
    if (open_.empty())
      root = std::move(value);
    else if (keys_.back().empty())
      open_.back().items.push_back(std::move(value));
    else
      open_.back().members[keys_.back()] = std::move(value);
    return true;
  }

  std::vector<JsonValue> open_;
  std::vector<std::string> keys_;
};

inline JsonValue json_of(const std::string& text) {
  JsonTree tree;
  rapidjson::StringStream in(text.c_str());
  rapidjson::Reader reader;
  EXPECT_TRUE(reader.Parse<rapidjson::kParseValidateEncodingFlag>(in, tree)) << text.substr(0, 200);
  return std::move(tree.root);
}

}  // namespace evname::test
