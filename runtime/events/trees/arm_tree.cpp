#include "events/trees/arm_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <tuple>

#include "base/read_file.hpp"
#include "base/text.hpp"

namespace evname::trees {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxPmuLevel = 3;  // directories between pmu/ and a file

/// What stands in front of the events of a file.
struct Head {
  std::string product, architecture, date;
  std::uint32_t implementer = 0, part = 0;
  std::uint64_t major = 0, minor = 0;
  bool telemetry = false;
};

/// The value of the first member of that name, as written, without its quotes.
std::string_view member(std::string_view head, std::string_view name) {
  const std::string key = fmt::format("\"{}\":", name);
  const auto at = head.find(key);
  if (at == std::string_view::npos) return {};
  std::string_view rest = trim(head.substr(at + key.size()));
  rest = rest.substr(0, rest.find_first_of(",\n}"));
  if (rest.starts_with('"')) rest = rest.substr(1, rest.find('"', 1) - 1);
  return trim(rest);
}

/// "2024-02-08" of "Thu Feb  8 21:07:02 2024" and of "09 Sep 13:13:53 2025"; "" of anything else.
std::string iso_date(std::string_view text) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  std::uint64_t day = 0, month = 0, year = 0;
  for (const std::string_view word : split(text, ' ')) {
    const auto number = parse_decimal(word);
    const auto at = word.size() == 3 ? kMonths.find(word) : std::string_view::npos;
    if (number)
      (*number > 31 ? year : day) = *number;
    else if (at != std::string_view::npos)
      month = at / 3 + 1;
  }
  if (day == 0 || month == 0 || year == 0) return {};
  return fmt::format("{:04}-{:02}-{:02}", year, month, day);
}

std::optional<Head> read_head_of(const std::string& path) {
  const auto text = evname::read_head(path);
  if (!text) return std::nullopt;
  const std::string_view head = std::string_view(*text).substr(0, text->find("\"events\""));
  Head out;
  out.telemetry = !member(head, "part_num").empty();
  out.product = member(head, out.telemetry ? "product_name" : "cpu");
  out.architecture = member(head, "architecture");
  out.date = iso_date(member(head, "timestamp"));
  if (out.telemetry) {
    out.implementer =
        static_cast<std::uint32_t>(parse_number(member(head, "implementer")).value_or(0));
    out.part = static_cast<std::uint32_t>(parse_number(member(head, "part_num")).value_or(0));
    out.major = parse_decimal(member(head, "major_revision")).value_or(0);
    out.minor = parse_decimal(member(head, "minor_revision")).value_or(0);
  } else {
    const std::uint64_t cpuid = parse_number(member(head, "cpuid")).value_or(0);
    out.implementer = static_cast<std::uint32_t>(cpuid >> 12);
    out.part = static_cast<std::uint32_t>(cpuid & 0xfff);
  }
  const bool known = out.implementer != 0 && out.implementer <= 0xff && out.part != 0 &&
                     out.part <= 0xfff && !out.product.empty();
  return known ? std::optional(out) : std::nullopt;
}

/// Architectures 6 and 7, and what has version 8 but no 64-bit state: Cortex-A32 and -R52.
bool is_32_bit(const Head& head) {
  constexpr std::string_view kOnly32[] = {"Cortex-A32", "Cortex-R52"};
  return head.architecture.starts_with("armv6") || head.architecture.starts_with("armv7") ||
         std::ranges::find(kOnly32, head.product) != std::end(kOnly32);
}

/// "neoverse-n1" of "Neoverse N1".
std::string directory_name(const std::string& product) {
  std::string out = to_lower(product);
  std::replace(out.begin(), out.end(), ' ', '-');
  return out;
}

std::string source_of(const Head& head) {
  if (!head.telemetry) return fmt::format("Arm data {} {}", head.product, head.date);
  return fmt::format("Arm telemetry {} r{}p{} {}", head.product, head.major, head.minor, head.date);
}

void find_files(const fs::path& directory, int level, std::vector<std::string>& out) {
  for (std::string& file : json_files(directory.string())) out.push_back(std::move(file));
  if (level == kMaxPmuLevel) return;
  std::error_code error;
  std::vector<fs::path> children;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error))
    if (std::error_code ignored; at->is_directory(ignored)) children.push_back(at->path());
  std::sort(children.begin(), children.end());
  for (const fs::path& child : children) find_files(child, level + 1, out);
}

/// Its pmu/ directory; "" if the tree is not Arm's.
std::string pmu_directory(const std::string& root) {
  std::error_code ignored;
  const fs::path path(root);
  if (fs::is_regular_file(path / "cpus.json", ignored) && fs::is_directory(path / "pmu", ignored))
    return path / "pmu";
  for (const char* cpus : {"pmu/cpu", "data/pmu/cpu"})
    if (fs::is_directory(path / cpus, ignored)) return path / cpus;
  return {};
}

void add_model(const Head& head, const std::string& path, ArchDir& arch) {
  const bool wide = arch.arch == "arm64";
  ModelDir model;
  model.name = (wide ? "arm/" : "") + directory_name(head.product);
  model.files.push_back(path);
  model.vendor = true;
  model.source = source_of(head);
  const std::uint32_t midr = head.implementer << 24 | 0xfu << 16 | head.part << 4;
  arch.map_rows.push_back(
      {fmt::format("{:#018x}", midr), head.date, model.name, "core", {}, Place{}});
  arch.models.push_back(std::move(model));
}

}  // namespace

std::vector<ArchDir> find_arm_tree(const std::string& root) {
  const std::string directory = pmu_directory(root);
  if (directory.empty()) return {};
  std::vector<std::string> files;
  find_files(directory, 0, files);
  std::map<std::string, std::pair<Head, std::string>> newest;  // by product
  for (const std::string& path : files) {
    const auto head = read_head_of(path);
    if (!head) continue;
    auto& [known, file] = newest[head->product];
    if (file.empty() || std::tie(head->major, head->minor) >= std::tie(known.major, known.minor))
      std::tie(known, file) = std::tuple(*head, path);
  }
  std::vector<ArchDir> out;
  for (const bool narrow : {true, false}) {
    ArchDir arch;
    arch.arch = narrow ? "arm" : "arm64";
    arch.path = root;
    for (const auto& [product, file] : newest)
      if (is_32_bit(file.first) == narrow) add_model(file.first, file.second, arch);
    std::ranges::sort(arch.models, {}, &ModelDir::name);
    if (!arch.models.empty()) out.push_back(std::move(arch));
  }
  return out;
}

bool arm_to_kernel_form(Object& object, JsonFile& file) {
  const Field* code = object.find("code");
  if (code == nullptr && object.find("description") == nullptr) return false;
  const auto number = code == nullptr ? std::nullopt : parse_number(code->value);
  std::string_view name = object.get("EventName");
  if (name.empty()) name = object.get("name");
  object.fields.clear();
  if (!number || name.empty()) return true;  // of a trace unit, or without a public code
  object.fields.push_back({"EventName", name, object.place});
  object.fields.push_back(
      {"EventCode", file.added.emplace_back(fmt::format("{:#x}", *number)), object.place});
  return true;
}

}  // namespace evname::trees
