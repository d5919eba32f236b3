#include "events/trees/json.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>
// Only this file parses with RapidJSON, so that its functions are compiled with the same macros
// everywhere.
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
constexpr std::size_t kNoRows = kMaxDepth + 2;
// More rows than the tables of a model have; a row takes 20 times the memory of its shortest text.
constexpr std::size_t kMostRows = std::size_t{1} << 16;
constexpr std::size_t kMostFields = std::size_t{1} << 12;
constexpr std::size_t kMostInnerValues = std::size_t{1} << 20;
constexpr std::size_t kLongestPath = 256;

/// A member of a vendor's file that has rows.
struct RowMember {
  std::string_view key, name;
  bool has_inner;  ///< nested values of its rows are kept
};
constexpr RowMember kRowMembers[] = {
    {"Events", "events", false},
    {"events", "events", false},
    {"Metrics", "metrics", true},
    {"metrics", "metrics", true},
    {"groups", "groups", true},
    {"Data", "latencies", false},
    {"methodologies", "methodologies", true},
};

const RowMember* row_member(std::string_view key) {
  for (const RowMember& row : kRowMembers)
    if (row.key == key) return &row;
  return nullptr;
}

// Keys of events that mean nothing if their value is 0 or none. Makers' files state all of them in
// each event, the kernel's leave them out.
constexpr std::string_view kMayBeBlank[] = {
    "AnyThread",    "CollectPEBSRecord",
    "CounterMask",  "Data_LA",
    "Deprecated",   "ELLC",
    "EdgeDetect",   "Errata",
    "ExtSel",       "FCMask",
    "Filter",       "FILTER_VALUE",
    "Invert",       "L1_Hit_Indication",
    "MSRIndex",     "Offcore",
    "PDIR_COUNTER", "PDISTCounter",
    "PEBS",         "PortMask",
    "Precise",      "Speculative",
    "TakenAlone",   "UMaskExt",
};

bool is_none(std::string_view value) {
  if (value.size() > 2 && value.starts_with("0x")) value.remove_prefix(2);
  return value.find_first_not_of('0') == std::string_view::npos ||
         equal_ignoring_case(value, "null") || equal_ignoring_case(value, "na");
}

/// Returns true if an event is the same without the key. Half of the keys of Intel's events are so.
bool is_blank(std::string_view key, std::string_view value) {
  return is_none(value) && std::ranges::find(kMayBeBlank, key) != std::end(kMayBeBlank);
}

/// SAX handler: objects at depth 1 of an array (or the only top-level object, or objects in its
/// kRowMembers) become rows; deeper values are skipped, or become a row's inner values. Strings are
/// decoded in place, so a row costs no copy.
class RowHandler : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, RowHandler> {
  /// An array or object inside a row.
  struct Nest {
    bool is_array;
    std::string_view path = {}, key = {};
    std::uint32_t element = 0, children = 0;
  };

 public:
  RowHandler(JsonFile& out, std::uint32_t file, rapidjson::InsituStringStream& stream,
             const UseEvent& use_event)
      : out_(out), file_(file), stream_(stream), use_event_(use_event) {}

  bool Null() { return value(""); }
  bool Bool(bool b) { return value(b ? "1" : "0"); }
  // All numbers come through here, not through Int() and the like.
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) { return value({text, size}); }
  bool String(const char* text, rapidjson::SizeType size, bool) { return value({text, size}); }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    if (depth_ == row_depth_ || depth_ == 1) key_ = {text, size};
    if (depth_ + 1 == row_depth_) row_name_ = {text, size};
    if (!nests_.empty()) nests_.back().key = {text, size};
    return true;
  }
  bool StartObject() {
    if (depth_ == 0) {
      out_.is_array = false;
      row_depth_ = 1;
    }
    if (depth_ + 1 == row_depth_) {
      if (rows_++ == kMostRows) return stop();
      // The iterative parser calls this before it takes the brace.
      const Place place{file_, static_cast<std::uint32_t>(stream_.Tell())};
      const std::size_t usual = out_.objects.empty() ? 0 : out_.objects.back().fields.size();
      out_.objects.push_back({std::exchange(spare_, {}), place});
      out_.objects.back().fields.reserve(usual);
      if (member_ != nullptr) out_.objects.back().member = member_->name;
      if (named_rows_) out_.objects.back().fields.push_back({"EventName", row_name_, place});
    } else if (!begin_rows(true) && !begin_nest(false)) {
      return false;
    }
    return ++depth_ <= kMaxDepth;
  }
  bool EndObject(rapidjson::SizeType) { return end(); }
  bool StartArray() {
    if (depth_ > 0 && !begin_rows(false) && !begin_nest(true)) return false;
    return ++depth_ <= kMaxDepth;
  }
  bool EndArray(rapidjson::SizeType) { return end(); }

  /// Returns true if the file had too much data, which ended the parsing.
  bool stopped() const { return stopped_; }

  /// Removes the incomplete row. Returns a message about it, and about the text after it if there
  /// is any.
  std::string drop_unfinished_row(bool goes_on) {
    if (!out_.is_array || depth_ < row_depth_ || out_.objects.empty())
      return goes_on ? "; the rest is left out" : "";
    std::string_view name = out_.objects.back().get("EventName");
    if (name.empty()) name = out_.objects.back().get("MetricName");
    std::string said = fmt::format("; {} {} left out", name.empty() ? "the entry" : name,
                                   goes_on ? "and all after it are" : "is");
    out_.objects.pop_back();
    return said;
  }

 private:
  bool stop() {
    stopped_ = true;
    return false;
  }

  /// The rows are in this member of the only top-level object.
  bool begin_rows(bool named) {
    if (depth_ != 1 || (row_depth_ != 1 && row_depth_ != kNoRows)) return false;
    const RowMember* const member = row_member(key_);
    if (member == nullptr) return false;
    if (!out_.is_array) out_.objects.clear();
    out_.is_array = true;
    member_ = member;
    row_depth_ = kRowDepthOfMember;
    named_rows_ = named;
    return true;
  }

  /// An array or object in a row begins.
  bool begin_nest(bool is_array) {
    if (depth_ < row_depth_ || out_.objects.empty()) return true;
    if (depth_ == row_depth_ && !add({}, true)) return false;
    if (member_ == nullptr || !member_->has_inner) return true;
    if (++inner_values_ > kMostInnerValues) return stop();
    Nest nest{is_array};
    if (nests_.empty()) {
      nest.path = key_;
    } else if (Nest& outer = nests_.back(); outer.is_array) {
      nest.path = outer.path;
      nest.element = outer.children++;
    } else {
      nest.path = path_below(outer);
      nest.element = outer.element;
    }
    nests_.push_back(nest);
    return true;
  }

  /// Returns "" if the path is longer than any known one.
  std::string_view path_below(const Nest& outer) {
    if (outer.path.empty() || outer.path.size() + outer.key.size() >= kLongestPath) return {};
    return out_.added.emplace_back(fmt::format("{}/{}", outer.path, outer.key));
  }

  /// An event is complete. The next one gets its memory.
  void end_event() {
    use_event_(out_.objects.back());
    spare_ = std::move(out_.objects.back().fields);
    spare_.clear();
    out_.objects.pop_back();
  }

  /// After a member, only another member has rows.
  bool end() {
    if (!nests_.empty()) nests_.pop_back();
    const bool is_event = depth_ == row_depth_ && out_.is_array && !out_.objects.empty() &&
                          (member_ == nullptr || member_->name == "events");
    if (is_event && use_event_) end_event();
    if (--depth_ == 1 && row_depth_ == kRowDepthOfMember) {
      row_depth_ = kNoRows;
      member_ = nullptr;
    }
    return true;
  }

  /// The parser is still at the value, except for true, false and null.
  std::uint32_t here() { return static_cast<std::uint32_t>(stream_.Tell()); }

  bool value(std::string_view text) { return add(text, false); }

  bool add(std::string_view text, bool is_nested) {
    if (!nests_.empty()) return add_inner(text);
    if (depth_ != row_depth_ || out_.objects.empty() || (!is_nested && is_blank(key_, text)))
      return true;
    if (out_.objects.back().fields.size() == kMostFields) return stop();
    out_.objects.back().fields.push_back({key_, text, {file_, here()}, is_nested});
    return true;
  }

  bool add_inner(std::string_view text) {
    if (++inner_values_ > kMostInnerValues) return stop();
    Nest& nest = nests_.back();
    out_.objects.back().inner.push_back({nest.path,
                                         nest.is_array ? std::string_view() : nest.key,
                                         text,
                                         {file_, here()},
                                         nest.element});
    return true;
  }

  JsonFile& out_;
  std::uint32_t file_;
  rapidjson::InsituStringStream& stream_;
  const UseEvent& use_event_;
  std::vector<Field> spare_;  ///< empty, with the memory of the event before
  std::size_t rows_ = 0;
  std::size_t depth_ = 0;
  std::size_t row_depth_ = 2;
  std::string_view key_, row_name_;
  bool named_rows_ = false;
  const RowMember* member_ = nullptr;  ///< that the rows are in
  std::vector<Nest> nests_;            ///< the arrays and objects of the row that are open
  std::size_t inner_values_ = 0;
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
  std::uint64_t all = 0;
  for (std::size_t at = 0; at + 8 <= text.size(); at += 8) {  // the text ends in 16 zero bytes
    std::uint64_t letters;
    std::memcpy(&letters, text.data() + at, 8);
    all |= letters;
  }
  return (all & 0x8080808080808080) == 0
             ? reader.Parse<kFlags>(stream, handler)
             : reader.Parse<kFlags | rapidjson::kParseValidateEncodingFlag>(stream, handler);
}

}  // namespace

bool read_json(const std::string& path, JsonFile& out, Diagnostics& diagnostics,
               const UseEvent& use_event) {
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
  // RapidJSON reads whole characters, and 16 bytes at a time, even beyond the end of the text.
  const std::size_t end = out.text.find_last_not_of(" \t\r\n") + 1;
  out.text.append(16, '\0');
  rapidjson::InsituStringStream stream(out.text.data());
  RowHandler handler(out, file, stream, use_event);
  const auto result = parse(out.text, stream, handler);
  if (!result.IsError()) return true;
  const std::string why =
      handler.stopped()
          ? fmt::format(
                "at most {} entries of a file and {} keys of an entry are read; the rest is "
                "left out",
                kMostRows, kMostFields)
          : fmt::format("not valid JSON: {}{}", rapidjson::GetParseError_En(result.Code()),
                        handler.drop_unfinished_row(result.Offset() < end));
  diagnostics.report(Severity::error, {file, static_cast<std::uint32_t>(result.Offset())}, "", "",
                     why);
  return false;
}

}  // namespace evname::trees
