#include "compiler/import/facts.hpp"

#include <fmt/format.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>

#include "compiler/encode_entry.hpp"
#include "compiler/keys.hpp"

namespace evname::gen {
namespace {

using JsonWriter = rapidjson::Writer<rapidjson::StringBuffer>;

void write_text(JsonWriter& json, std::string_view text) {
  json.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

bool is_fact(KeyKind kind) {
  return kind == KeyKind::name || kind == KeyKind::head || kind == KeyKind::field ||
         kind == KeyKind::special || kind == KeyKind::fact;
}

std::string key_of_terms(const std::vector<TermSpec>& terms) {
  std::vector<std::string> parts;
  for (const TermSpec& term : terms) {
    if (term.name == "period") continue;
    if (!term.numeric)
      parts.push_back(term.name + "=" + term.text);
    else if (term.number.value != 0)
      parts.push_back(fmt::format("{}={:#x}", term.name, term.number.value));
  }
  std::sort(parts.begin(), parts.end());
  return fmt::format("{}", fmt::join(parts, ","));
}

}  // namespace

std::string facts_line(const Object& object, std::string_view description) {
  rapidjson::StringBuffer buffer;
  JsonWriter json(buffer);
  json.StartObject();
  for (const Key& key : keys()) {
    const std::string_view value = object.get(key.name);
    if (!is_fact(key.kind) || value.empty()) continue;
    write_text(json, key.name);
    write_text(json, value);
  }
  if (!description.empty()) {
    write_text(json, "BriefDescription");
    write_text(json, description);
  }
  json.EndObject();
  return buffer.GetString();
}

std::string encoding_key(const Object& object) {
  Diagnostics ignored;
  std::vector<TermSpec> terms;
  encode_terms(object, ignored, terms);
  return key_of_terms(terms);
}

std::string encoding_key(std::string_view terms) { return key_of_terms(terms_of_text(terms)); }

}  // namespace evname::gen
