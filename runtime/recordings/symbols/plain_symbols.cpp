#include "recordings/symbols/plain_symbols.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include <sys/stat.h>

#include "base/bytes.hpp"
#include "base/file_identity.hpp"
#include "base/read_file.hpp"
#include "base/text.hpp"

namespace evname::symbols {
namespace {

constexpr std::size_t kMostText = 1 << 30;

/// Removes and returns the text before the next `separator`.
std::string_view take(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view piece = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return piece;
}

bool is_no_function(std::string_view name) {
  return elf::is_ignored_kernel_symbol(name) ||
         (name[0] == '.' && name.starts_with(".klp.sym."));  // is_livepatch_symbol
}

/// Returns a table that add(table, line) fills from the lines of a file. Holes count against the
/// budget, except for files of the kernel, which have size 0.
template <class Add>
Result<elf::SymbolTable> table_of_lines(const std::string& path, elf::Budget& budget,
                                        std::span<const std::uint32_t> owners, Add&& add) {
  elf::SymbolTable table;
  const std::string part = "part of " + path;
  const auto start = std::chrono::steady_clock::now();
  if (!budget.take_time(std::chrono::steady_clock::now() - start, part)) return table;
  struct stat info {};
  const bool has_size = ::stat(path.c_str(), &info) == 0 && info.st_size > 0;
  const std::uint64_t size = has_size ? static_cast<std::uint64_t>(info.st_size) : 0;
  const std::uint64_t kept =
      has_size ? static_cast<std::uint64_t>(info.st_blocks) * 512 : kMostText;
  const std::uint64_t limit = std::min<std::uint64_t>(kMostText, budget.room(kept));
  const auto whole = read_lines(
      path, limit, [&](std::string_view line) { add(table, line); }, owners);
  if (!whole) return fail(whole);
  budget.take_time(std::chrono::steady_clock::now() - start, part);
  if (budget.take(std::min(size, limit), kept, part) && !*whole) budget.refuse(part);
  return table;
}

}  // namespace

Result<elf::SymbolTable> read_kallsyms(const std::string& path, elf::Budget& budget, bool modules) {
  auto table =
      table_of_lines(path, budget, {}, [modules](elf::SymbolTable& out, std::string_view line) {
        const auto address = parse_hex(take(line, ' '));
        const std::string_view type = take(line, ' ');
        if (!address || type.size() != 1 || line.empty() || is_no_function(line)) return;
        if (modules && line != "_text" && line.find('\t') == line.npos) return;
        const char letter = static_cast<char>(std::toupper(static_cast<unsigned char>(type[0])));
        if (std::string_view("TWDB").find(letter) == std::string_view::npos) return;
        const bool global = letter == type[0];
        out.add({*address, *address, out.keep(line),
                 letter == 'T' || letter == 'W' ? elf::kFunction : elf::kObject,
                 type[0] == 'W' ? elf::kWeak
                 : global       ? elf::kGlobal
                                : elf::kLocal});
      });
  if (table) table->arrange_kernel();
  return table;
}

namespace {

constexpr std::string_view kBlanks = " \t";

/// Removes and returns a number and the blanks around it: strtoull() of dso__load_perf_map in
/// tools/perf/util/symbol.c.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  std::string_view digits = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(digits.size());
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
  return parse_hex(digits);
}

}  // namespace

Result<elf::SymbolTable> read_perf_map(const std::string& path, elf::Budget& budget,
                                       std::span<const std::uint32_t> owners, UnreadLines* unread) {
  std::uint64_t number = 0;
  auto table =
      table_of_lines(path, budget, owners, [&](elf::SymbolTable& out, std::string_view line) {
        ++number;
        std::string_view rest = line;
        const auto start = take_number(rest), size = take_number(rest);
        if (start && size && !rest.empty() && *size <= UINT64_MAX - *start)
          out.add({*start, *start + *size, out.keep(rest), elf::kFunction, elf::kGlobal});
        else if (unread && line.find_first_not_of(" \t\r") != line.npos && unread->count++ == 0)
          unread->first = number;
      });
  if (table) table->sort();
  return table;
}

std::vector<std::uint8_t> running_kernel_build_id() {
  const std::string notes = read_head("/sys/kernel/notes", 1 << 16).value_or("");
  const std::string id =
      build_id_of_notes(Bytes(reinterpret_cast<const std::uint8_t*>(notes.data()), notes.size()));
  return {id.begin(), id.end()};
}

}  // namespace evname::symbols
