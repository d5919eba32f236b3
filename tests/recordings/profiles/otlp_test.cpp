// OpenTelemetry's profiles: protobuf equals JSON, by the schema of opentelemetry-proto;
// dictionaries and samples keep the rules of sig-profiling's profcheck; sums equal the samples'
// sums.

#include <algorithm>
#include <set>

#include "recordings/profiles/profiles.hpp"
#include "recordings/profiles/protobuf.hpp"

namespace evname::test {
namespace {

constexpr std::uint64_t kWallClock = 1'700'000'000'000'000'000, kClock = 5;

std::string clock_data() {
  return BytesOut(std::endian::little).u32(1).u32(4).u64(kWallClock).u64(kClock).str();
}

std::vector<Recording> recordings(bool with_clock, std::size_t count = 2) {
  std::vector<Recording> files;
  for (std::size_t i = 0; i < count; ++i) {
    Recorded recorded;
    recorded.event(1, 0, 1, 4000).event(1, 2, 2).event(1, 3, 3);
    recorded.comm(5, "work").map(0x10000, 0x8000, 0x2000, "/bin/app", 0xab);
    recorded.sample({.time = 20, .period = 7}).sample({.time = 30, .period = 5});
    recorded.sample({.id = 2, .time = 40, .cpu = 3, .chain = {kUserPart, 0x10004, 0x10108}});
    recorded.sample({.time = 50, .tid = 6, .chain = {}, .ip = 0});
    // The name of the host, which is no UTF-8.
    recorded.file.feature(
        3, BytesOut(std::endian::little).u32(8).raw(std::string("h\xffst\0\0\0\0", 8)).str());
    if (with_clock) recorded.file.feature(29, clock_data());
    files.push_back(recorded.open("r" + std::to_string(i) + ".data"));
  }
  return files;
}

JsonValue json(std::span<const Recording> files) {
  return json_of(exported(files, {.format = ProfileFormat::otlp_json}));
}

std::uint64_t number_of(const JsonValue& value) {
  return value.text.empty() ? value.whole : std::stoull(value.text);
}

/// All that a value has, in an order.
std::string text_of(const JsonValue& value) {
  std::string text = value.text + ' ' + std::to_string(value.whole);
  for (const auto& item : value.items) text += '[' + text_of(item) + ']';
  for (const auto& [name, member] : value.members) text += name + '{' + text_of(member) + '}';
  return text;
}

/// The table's entry that a field has the index of.
const JsonValue& entry(const JsonValue& root, const char* table, const JsonValue& index) {
  return root["dictionary"][table].items.at(index.whole);
}

std::vector<const JsonValue*> profiles_of(const JsonValue& root) {
  std::vector<const JsonValue*> out;
  for (const auto& resource : root["resourceProfiles"].items)
    for (const auto& scope : resource["scopeProfiles"].items)
      for (const auto& profile : scope["profiles"].items) out.push_back(&profile);
  return out;
}

/// "event unit: values @ times" of each sample, sorted.
std::vector<std::string> samples_of(const JsonValue& root) {
  std::vector<std::string> seen;
  for (const JsonValue* profile : profiles_of(root)) {
    const JsonValue& type = (*profile)["sampleType"];
    for (const auto& sample : (*profile)["samples"].items) {
      std::string text = entry(root, "stringTable", type["typeStrindex"]).text + " " +
                         entry(root, "stringTable", type["unitStrindex"]).text + ":";
      for (const auto& value : sample["values"].items) text += " " + value.text;
      text += " @";
      for (const auto& time : sample["timestampsUnixNano"].items) text += " " + time.text;
      seen.push_back(std::move(text));
    }
  }
  std::ranges::sort(seen);
  return seen;
}

TEST(Otlp, ValuesAndTimesAreThoseOfTheSamples) {
  const struct {
    const char* why;
    bool with_clock;
    std::vector<std::string> expected;
  } kCases[] = {
      {"without the time of the day, samples of a stack are added up",
       false,
       {"cpu-clock nanoseconds: 1 @", "cpu-clock nanoseconds: 12 @", "page-faults count: 1 @"}},
      {"with it, each has its own",
       true,
       {"cpu-clock nanoseconds: 1 @ 1700000000000000045",
        "cpu-clock nanoseconds: 7 5 @ 1700000000000000015 1700000000000000025",
        "page-faults count: 1 @ 1700000000000000035"}},
  };
  for (const auto& one : kCases)
    for (const std::size_t files : {1, 2}) {
      std::vector<std::string> expected;
      for (const std::string& text : one.expected) expected.insert(expected.end(), files, text);
      EXPECT_EQ(samples_of(json(recordings(one.with_clock, files))), expected) << one.why;
    }
}

TEST(Otlp, OneSampleWithoutATimeLeavesAllWithout) {
  constexpr std::uint64_t kTime = 4;
  Recorded recorded;
  recorded.event(1, 0, 1, 4000);
  recorded.file.event({.type = 1, .config = 2, .sample_type = kProfileType & ~kTime, .ids = {2}});
  recorded.file.feature(29, clock_data());
  recorded.sample({.time = 20, .period = 7});
  BytesOut body = recorded.file.out();
  body.u64(2).u64(0x10004).u32(5).u32(5).u32(0).u32(0).u64(1).u64(0);
  recorded.file.record(9, body.str(), 2);
  recorded.sample({.time = 30, .period = 5});
  const std::vector<Recording> files = {recorded.open()};
  EXPECT_EQ(samples_of(json(files)),
            (std::vector<std::string>{"cpu-clock nanoseconds: 12 @", "page-faults count: 1 @"}));
}

TEST(Otlp, ProfilesSpanTheirTimes) {
  const JsonValue root = json(recordings(true));
  ASSERT_EQ(profiles_of(root).size(), 4u);  // two events with samples of two recordings
  for (const JsonValue* profile : profiles_of(root)) {
    EXPECT_EQ((*profile)["timeUnixNano"].text, "1700000000000000015");
    EXPECT_EQ((*profile)["durationNano"].text, "31");  // the end is outside
  }
  EXPECT_EQ((*profiles_of(root)[0])["period"].text, "4000");
}

TEST(Otlp, SamplesHaveTheirThreadAndLocationsTheirMapping) {
  const JsonValue root = json(recordings(false, 1));
  const JsonValue& sample = (*profiles_of(root)[1])["samples"].items.at(0);
  std::map<std::string, std::string> attributes;
  for (const auto& index : sample["attributeIndices"].items) {
    const JsonValue& one = entry(root, "attributeTable", index);
    attributes[entry(root, "stringTable", one["keyStrindex"]).text] =
        one["value"]["stringValue"].text + one["value"]["intValue"].text;
  }
  EXPECT_EQ(attributes, (std::map<std::string, std::string>{{"process.pid", "5"},
                                                            {"thread.id", "5"},
                                                            {"thread.name", "work"},
                                                            {"cpu.logical_number", "3"}}));
  std::vector<std::uint64_t> addresses;
  for (const auto& index :
       entry(root, "stackTable", sample["stackIndex"])["locationIndices"].items) {
    const JsonValue& location = entry(root, "locationTable", index);
    addresses.push_back(number_of(location["address"]));
    const JsonValue& mapping = entry(root, "mappingTable", location["mappingIndex"]);
    EXPECT_EQ(entry(root, "stringTable", mapping["filenameStrindex"]).text, "/bin/app");
    EXPECT_EQ(number_of(mapping["fileOffset"]), 0x2000u);
  }
  EXPECT_EQ(addresses, (std::vector<std::uint64_t>{0x10004, 0x10107}));
}

// An instruction, and a call by the address that it returns to, may be at the same address.
TEST(Otlp, NoEntryIsThereTwice) {
  Recorded recorded;
  recorded.event(1, 0, 1, 4000);
  recorded.comm(5, "work").map(0x10000, 0x8000, 0x2000, "/bin/app", 0xab);
  for (const std::uint64_t leaf : {0x10004, 0x10107})
    recorded.sample({.time = 20, .chain = {kUserPart, leaf, 0x10108}});
  recorded.sample({.time = 20, .chain = {kUserPart, 0x10107}});
  const std::vector<Recording> files = {recorded.open("same.data")};
  const JsonValue root = json(files);
  for (const char* const name : {"mappingTable", "locationTable", "stackTable"}) {
    std::set<std::string> seen;
    for (const auto& item : root["dictionary"][name].items)
      EXPECT_TRUE(seen.insert(text_of(item)).second) << name << ' ' << text_of(item);
  }
  EXPECT_EQ(root["dictionary"]["locationTable"].items.size(), 3u);  // nothing, and two addresses
}

// "host.arch" of the semantic conventions.
TEST(Otlp, ArchitecturesHaveTheirNames) {
  constexpr std::pair<const char*, const char*> kRows[] = {
      {"x86_64", "amd64"},    {"i686", "x86"},      {"i386", "x86"},     {"x86", "x86"},
      {"aarch64", "arm64"},   {"arm64", "arm64"},   {"armv7l", "arm32"}, {"armv8l", "arm32"},
      {"arm", "arm32"},       {"ppc64le", "ppc64"}, {"ppc64", "ppc64"},  {"ppc", "ppc32"},
      {"ppcle", "ppc32"},     {"s390x", "s390x"},   {"ia64", "ia64"},    {"riscv64", "riscv64"},
      {"aarch64_be", "arm64"}};
  for (const auto& [machine, expected] : kRows) {
    Recorded recorded;
    recorded.event(1, 0, 1, 4000).sample({.time = 20});
    recorded.file.feature(
        6, BytesOut(std::endian::little).u32(16).raw(std::string(machine).append(16, '\0')).str());
    const std::vector<Recording> files = {recorded.open("arch.data")};
    const JsonValue root = json(files);
    std::string found;
    for (const auto& fact : root["resourceProfiles"].items.at(0)["resource"]["attributes"].items)
      if (fact["key"].text == "host.arch") found = fact["value"]["stringValue"].text;
    EXPECT_EQ(found, expected) << machine;
  }
}

/// What refers to which table, as profiles.proto says.
struct Reference {
  const char* field;
  const char* table;
};
constexpr Reference kReferences[] = {
    {"typeStrindex", "stringTable"},        {"unitStrindex", "stringTable"},
    {"filenameStrindex", "stringTable"},    {"nameStrindex", "stringTable"},
    {"keyStrindex", "stringTable"},         {"stackIndex", "stackTable"},
    {"attributeIndices", "attributeTable"}, {"mappingIndex", "mappingTable"},
    {"functionIndex", "functionTable"},     {"locationIndices", "locationTable"},
};

void collect(const JsonValue& value, std::map<std::string, std::set<std::uint64_t>>& used) {
  for (const auto& item : value.items) collect(item, used);
  for (const auto& [name, member] : value.members) {
    for (const Reference& reference : kReferences)
      if (name == reference.field) {
        if (member.items.empty()) used[reference.table].insert(member.whole);
        for (const auto& index : member.items) used[reference.table].insert(index.whole);
      }
    collect(member, used);
  }
}

TEST(Otlp, EachEntryOfTheDictionaryIsReferredToAndTheFirstIsEmpty) {
  for (const bool with_clock : {false, true}) {
    const JsonValue root = json(recordings(with_clock));
    std::map<std::string, std::set<std::uint64_t>> used;
    collect(root, used);
    for (const auto& [name, table] : root["dictionary"].members) {
      ASSERT_FALSE(table.items.empty()) << name;
      if (name == "linkTable") {  // profiles.proto: zero bytes of the lengths that identifiers have
        EXPECT_EQ(table.items[0]["traceId"].text, std::string(32, '0'));
        EXPECT_EQ(table.items[0]["spanId"].text, std::string(16, '0'));
      } else {
        EXPECT_TRUE(table.items[0].members.empty() && table.items[0].text.empty()) << name;
      }
      std::set<std::uint64_t> all;
      for (std::size_t i = 1; i < table.items.size(); ++i) all.insert(i);
      used[name].erase(0);
      EXPECT_EQ(used[name], all) << name;
    }
    std::set<std::string> texts;
    for (const auto& text : root["dictionary"]["stringTable"].items)
      EXPECT_TRUE(texts.insert(text.text).second) << text.text;
  }
}

#ifdef HAVE_PROTOZERO
/// A field of a message as profiles.proto, resource.proto and common.proto have it.
struct FieldSchema {
  const char* message;
  std::uint32_t number;
  const char* name;
  const char* type;  ///< a message; "i": a number, "n": of 64 bits, "f": fixed, "t": text,
                     ///< "x": bytes; with '*': several
};
constexpr FieldSchema kSchema[] = {
    {"ProfilesData", 1, "resourceProfiles", "*ResourceProfiles"},
    {"ProfilesData", 2, "dictionary", "Dictionary"},
    {"ResourceProfiles", 1, "resource", "Resource"},
    {"ResourceProfiles", 2, "scopeProfiles", "*ScopeProfiles"},
    {"Resource", 1, "attributes", "*KeyValue"},
    {"KeyValue", 1, "key", "t"},
    {"KeyValue", 2, "value", "AnyValue"},
    {"AnyValue", 1, "stringValue", "t"},
    {"AnyValue", 3, "intValue", "n"},
    {"ScopeProfiles", 1, "scope", "Scope"},
    {"ScopeProfiles", 2, "profiles", "*Profile"},
    {"Scope", 1, "name", "t"},
    {"Scope", 2, "version", "t"},
    {"Profile", 1, "sampleType", "ValueType"},
    {"Profile", 2, "samples", "*Sample"},
    {"Profile", 3, "timeUnixNano", "f"},
    {"Profile", 4, "durationNano", "n"},
    {"Profile", 5, "periodType", "ValueType"},
    {"Profile", 6, "period", "n"},
    {"Profile", 11, "attributeIndices", "*i"},
    {"ValueType", 1, "typeStrindex", "i"},
    {"ValueType", 2, "unitStrindex", "i"},
    {"Sample", 1, "stackIndex", "i"},
    {"Sample", 2, "attributeIndices", "*i"},
    {"Sample", 4, "values", "*n"},
    {"Sample", 5, "timestampsUnixNano", "*f"},
    {"Dictionary", 1, "mappingTable", "*Mapping"},
    {"Dictionary", 2, "locationTable", "*Location"},
    {"Dictionary", 3, "functionTable", "*Function"},
    {"Dictionary", 4, "linkTable", "*Link"},
    {"Dictionary", 5, "stringTable", "*t"},
    {"Dictionary", 6, "attributeTable", "*KeyValueAndUnit"},
    {"Dictionary", 7, "stackTable", "*Stack"},
    {"Mapping", 1, "memoryStart", "n"},
    {"Mapping", 2, "memoryLimit", "n"},
    {"Mapping", 3, "fileOffset", "n"},
    {"Mapping", 4, "filenameStrindex", "i"},
    {"Mapping", 5, "attributeIndices", "*i"},
    {"Location", 1, "mappingIndex", "i"},
    {"Location", 2, "address", "n"},
    {"Location", 3, "lines", "*Line"},
    {"Location", 4, "attributeIndices", "*i"},
    {"Line", 1, "functionIndex", "i"},
    {"Line", 2, "line", "n"},
    {"Function", 1, "nameStrindex", "i"},
    {"Function", 3, "filenameStrindex", "i"},
    {"KeyValueAndUnit", 1, "keyStrindex", "i"},
    {"KeyValueAndUnit", 2, "value", "AnyValue"},
    {"Stack", 1, "locationIndices", "*i"},
    {"Link", 1, "traceId", "x"},
    {"Link", 2, "spanId", "x"},
};

JsonValue whole(std::uint64_t value, char type) {
  JsonValue out{false, 0, 0, {}, {}, {}};
  if (type == 'i') out.whole = value;
  if (type != 'i') out.text = std::to_string(value);
  return out;
}

JsonValue decoded(protozero::pbf_reader message, std::string_view name) {
  JsonValue out{false, 0, 0, {}, {}, {}};
  while (message.next()) {
    const auto* field = std::find_if(std::begin(kSchema), std::end(kSchema), [&](const auto& one) {
      return name == one.message && message.tag() == one.number;
    });
    if (field == std::end(kSchema)) {
      ADD_FAILURE() << name << " has no field " << message.tag();
      message.skip();
      continue;
    }
    const bool several = *field->type == '*';
    const std::string_view type = field->type + several;
    JsonValue& value = out.members[field->name];
    value.is_null = false;
    if (several && type == "f")
      for (const auto one : message.get_packed_fixed64()) value.items.push_back(whole(one, 'f'));
    else if (several && (type == "i" || type == "n"))
      for (const auto one : message.get_packed_uint64()) value.items.push_back(whole(one, type[0]));
    else if (type == "t")
      (several ? value.items.emplace_back() : value).text = message.get_string();
    else if (type == "x")
      for (const char byte : message.get_bytes())
        value.text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    else if (type == "f")
      value = whole(message.get_fixed64(), 'f');
    else if (type == "i" || type == "n")
      value = whole(message.get_uint64(), type[0]);
    else if (several)
      value.items.push_back(decoded(message.get_message(), type));
    else
      value = decoded(message.get_message(), type);
  }
  return out;
}

void expect_same(const JsonValue& a, const JsonValue& b, const std::string& where) {
  EXPECT_EQ(a.text, b.text) << where;
  EXPECT_EQ(a.whole, b.whole) << where;
  ASSERT_EQ(a.items.size(), b.items.size()) << where;
  for (std::size_t i = 0; i < a.items.size(); ++i)
    expect_same(a.items[i], b.items[i], where + "[" + std::to_string(i) + "]");
  for (const auto& [name, member] : a.members) expect_same(member, b[name], where + "." + name);
  for (const auto& [name, member] : b.members)
    EXPECT_TRUE(a.members.contains(name)) << where << "." << name;
}

TEST(Otlp, ProtobufSaysWhatJsonSays) {
  for (const bool with_clock : {false, true}) {
    const auto files = recordings(with_clock);
    const std::string bytes = exported(files, {.format = ProfileFormat::otlp});
    expect_same(decoded(protozero::pbf_reader(bytes), "ProfilesData"), json(files), "");
  }
}
#endif

}  // namespace
}  // namespace evname::test
