#include "events/trees/json.hpp"

#include <fmt/format.h>
// Nobody else parses with RapidJSON, so that no two forms of its functions meet.
#if defined(__SSE2__)
#define RAPIDJSON_SSE2
#elif defined(__ARM_NEON)
#define RAPIDJSON_NEON
#endif
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include "base/read_file.hpp"
#include "base/text.hpp"

namespace evname::trees {
namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kRowDepthOfMember = 3;
// More than the tables of a model hold, whose rows take 20 times the memory of a short row's text.
constexpr std::size_t kMostRows = std::size_t{1} << 16;
constexpr std::size_t kMostFields = std::size_t{1} << 12;

/// SAX handler: objects at depth 1 of an array (or the only top-level object, or those of its
/// member "Events" or "events") become rows; what is nested deeper is skipped. Strings are decoded
/// in place, so a row costs no copy.
class RowHandler {
 public:
  RowHandler(JsonFile& out, std::uint32_t file, rapidjson::InsituStringStream& stream)
      : out_(out), file_(file), stream_(stream) {}

  bool Null() { return value(""); }
  bool Bool(bool b) { return value(b ? "1" : "0"); }
  bool Int(int) { return true; }  // numbers arrive through RawNumber
  bool Uint(unsigned) { return true; }
  bool Int64(std::int64_t) { return true; }
  bool Uint64(std::uint64_t) { return true; }
  bool Double(double) { return true; }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) { return value({text, size}); }
  bool String(const char* text, rapidjson::SizeType size, bool) { return value({text, size}); }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    if (depth_ == row_depth_) key_ = {text, size};
    if (depth_ + 1 == row_depth_) row_name_ = {text, size};
    return true;
  }
  bool StartObject() {
    if (depth_ == 0) {
      out_.is_array = false;
      row_depth_ = 1;
    }
    if (depth_ + 1 == row_depth_) {
      if (out_.objects.size() == kMostRows) return stop();
      // The iterative parser calls this before it takes the brace.
      const Place place{file_, static_cast<std::uint32_t>(stream_.Tell())};
      out_.objects.push_back({{}, place});
      if (named_rows_) out_.objects.back().fields.push_back({"EventName", row_name_, place});
    } else if (!begin_events(true) && !add({}, true)) {
      return false;
    }
    return ++depth_ <= kMaxDepth;
  }
  bool EndObject(rapidjson::SizeType) { return end(); }
  bool StartArray() {
    if (depth_ > 0 && !begin_events(false) && !add({}, true)) return false;
    return ++depth_ <= kMaxDepth;
  }
  bool EndArray(rapidjson::SizeType) { return end(); }

  /// Returns true if there was too much to keep, which ended the parsing.
  bool stopped() const { return stopped_; }

  /// Takes out the row that has begun and not ended. Returns what to say about it.
  std::string drop_unfinished_row() {
    if (!out_.is_array || depth_ < row_depth_ || out_.objects.empty()) return {};
    std::string_view name = out_.objects.back().get("EventName");
    if (name.empty()) name = out_.objects.back().get("MetricName");
    std::string said = fmt::format("; {} is left out", name.empty() ? "the entry" : name);
    out_.objects.pop_back();
    return said;
  }

 private:
  bool stop() {
    stopped_ = true;
    return false;
  }

  /// The rows are in this member of the only top-level object.
  bool begin_events(bool named) {
    if (depth_ != 1 || row_depth_ != 1 || (key_ != "Events" && key_ != "events")) return false;
    out_.is_array = true;
    out_.objects.clear();
    row_depth_ = kRowDepthOfMember;
    named_rows_ = named;
    return true;
  }

  /// Nothing after that member is a row.
  bool end() {
    if (--depth_ == 1 && row_depth_ == kRowDepthOfMember) row_depth_ = kMaxDepth + 2;
    return true;
  }

  std::uint32_t here() { return static_cast<std::uint32_t>(stream_.Tell()) - 1; }

  bool value(std::string_view text) { return add(text, false); }

  bool add(std::string_view text, bool is_nested) {
    if (depth_ != row_depth_ || out_.objects.empty()) return true;
    if (out_.objects.back().fields.size() == kMostFields) return stop();
    out_.objects.back().fields.push_back({key_, text, {file_, here()}, is_nested});
    return true;
  }

  JsonFile& out_;
  std::uint32_t file_;
  rapidjson::InsituStringStream& stream_;
  std::size_t depth_ = 0;
  std::size_t row_depth_ = 2;
  std::string_view key_, row_name_;
  bool named_rows_ = false;
  bool stopped_ = false;
};

}  // namespace

const Field* Object::find(std::string_view key) const {
  for (auto it = fields.rbegin(); it != fields.rend(); ++it)
    if (it->key == key) return &*it;
  return nullptr;
}

std::string_view Object::get(std::string_view key) const {
  const Field* field = find(key);
  return field ? field->value : std::string_view{};
}

namespace {

// Nearly all files are ASCII, where there is no encoding to validate; RapidJSON is faster then.
rapidjson::ParseResult parse(std::string_view text, rapidjson::InsituStringStream& stream,
                             RowHandler& handler) {
  constexpr unsigned kFlags = rapidjson::kParseInsituFlag | rapidjson::kParseIterativeFlag |
                              rapidjson::kParseNumbersAsStringsFlag;
  rapidjson::Reader reader;
  unsigned char all = 0;
  for (const char c : text) all |= static_cast<unsigned char>(c);
  return all < 0x80 ? reader.Parse<kFlags>(stream, handler)
                    : reader.Parse<kFlags | rapidjson::kParseValidateEncodingFlag>(stream, handler);
}

}  // namespace

bool read_json(const std::string& path, JsonFile& out, Diagnostics& diagnostics) {
  const std::uint32_t file = diagnostics.add_file(path);
  auto text = read_tree_file(path);
  if (!text) {
    diagnostics.report(Severity::error, {file, 0}, "", "", text.error().message);
    return false;
  }
  out.text = std::move(*text);
  if (const auto nul = out.text.find('\0'); nul != std::string::npos) {
    diagnostics.report(Severity::error, {file, static_cast<std::uint32_t>(nul)}, "", "",
                       "a zero byte in JSON text");
    return false;
  }
  // RapidJSON reads whole characters, and 16 bytes at a time, even where the text ends in them.
  out.text.append(16, '\0');
  rapidjson::InsituStringStream stream(out.text.data());
  RowHandler handler(out, file, stream);
  const auto result = parse(out.text, stream, handler);
  if (!result.IsError()) return true;
  const std::string why =
      handler.stopped()
          ? fmt::format(
                "at most {} entries of a file and {} keys of an entry are read; the rest is "
                "left out",
                kMostRows, kMostFields)
          : fmt::format("not valid JSON: {}{}", rapidjson::GetParseError_En(result.Code()),
                        handler.drop_unfinished_row());
  diagnostics.report(Severity::error, {file, static_cast<std::uint32_t>(result.Offset())}, "", "",
                     why);
  return false;
}

}  // namespace evname::trees
