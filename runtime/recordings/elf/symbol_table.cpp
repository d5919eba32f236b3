#include "recordings/elf/symbol_table.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include <cxxabi.h>

#ifdef HAVE_LIBIBERTY
#define HAVE_DECL_BASENAME 1  // as libiberty.h wants it
#include <libiberty/demangle.h>

#include <csetjmp>
#endif

namespace evname::elf {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::size_t kBlock = 1 << 16;  // of names
#ifdef HAVE_LIBIBERTY
constexpr std::size_t kLongestName = 1 << 20;
#endif

std::uint64_t next_page(std::uint64_t address) { return (address + kPage - 1) / kPage * kPage; }

/// The name of a module's symbol ends with "\t[module]".
std::string_view module_of(const Symbol& symbol) {
  const char* at = std::strchr(symbol.name, '[');
  return at ? at : "";
}

/// Rust's legacy names are C++ names whose last part is a hash: "17h" and 16 digits, then "E" and
/// suffixes of LLVM.
bool is_legacy_rust(std::string_view name) {
  const std::size_t at = name.find("17h");
  return name.starts_with("_ZN") && at != name.npos && name.size() >= at + 20 &&
         name[at + 19] == 'E' &&
         name.substr(at + 3, 16).find_first_not_of("0123456789abcdef") == name.npos;
}

#ifdef HAVE_LIBIBERTY

/// The output of a demangler; longjmp() ends it if it grows too long. libiberty then leaks at most
/// a few bytes of a name in Punycode.
struct GrowingName {
  std::size_t longest;
  std::string text = {};
  std::jmp_buf too_long = {};

  static void add(const char* piece, std::size_t size, void* name) {
    auto& self = *static_cast<GrowingName*>(name);
    if (size > self.longest - self.text.size()) std::longjmp(self.too_long, 1);
    self.text.append(piece, size);
  }
};

using Demangler = int(const char* name, int options, demangle_callbackref take, void* out);

/// Returns false if the name grows too long.
bool run_demangler(Demangler* demangler, const char* name, int options, GrowingName& out) {
  if (setjmp(out.too_long) != 0) return false;
  if (demangler(name, options, GrowingName::add, &out) == 0) out.text.clear();
  return true;
}

std::string demangled(Demangler* demangler, const char* name, int options, Budget& budget) {
  constexpr std::uint64_t kCost = 8;  // takes as much time as unpacking so many bytes
  const std::size_t size = std::strlen(name);
  GrowingName out{std::min<std::size_t>(kLongestName, budget.room(size * kCost) / kCost)};
  const bool fits = run_demangler(demangler, name, options, out);
  const std::size_t grown = out.text.size() + (fits ? 0 : kPage);
  if (!budget.take(grown * kCost, size * kCost, "a demangled name") || !fits) return {};
  return std::move(out.text);
}

std::string rust_name(const char* name, Budget& budget) {
  return demangled(rust_demangle_callback, name, DMGL_NO_OPTS, budget);
}

std::string cxx_name(const char* name, Budget& budget) {
  return demangled(cplus_demangle_v3_callback, name, DMGL_PARAMS | DMGL_TYPES, budget);
}

#else

std::string rust_name(const char*, Budget&) { return {}; }

/// The C++ library's demangler has no limit, and each back reference may double the name.
std::string cxx_name(const char* name, Budget& budget) {
  constexpr int kMostReferences = 16;
  int references = 0;
  for (const char* at = name; *at; ++at)
    references += (*at == 'S' || *at == 'T') && (at[1] == '_' || (at[1] >= '0' && at[1] <= '9') ||
                                                 (at[1] >= 'A' && at[1] <= 'Z'));
  if (references > kMostReferences) return {};
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
  return text && budget.take(std::strlen(text.get()), std::strlen(name), "a demangled name")
             ? text.get()
             : std::string();
}

#endif

}  // namespace

std::string demangle(const char* name, Budget& budget) {
  const std::string_view text(name);
  if (text.starts_with("_R") || is_legacy_rust(text))
    if (std::string rust = rust_name(name, budget); !rust.empty()) return rust;
  // Any short name is the mangled name of some type: "i" of int.
  if (!text.starts_with("_Z") && !text.starts_with("_GLOBAL_")) return {};
  return cxx_name(name, budget);
}

std::string shown_name(const Symbol& symbol, Budget& budget) {
  std::string name = symbol.mangled ? demangle(symbol.name, budget) : std::string();
  if (name.empty()) name = symbol.name;
  if (symbol.stub) name += "@plt";
  return name;
}

/// Returns true if two mangled names have the same demangled form: equal names, and variants of a
/// constructor or destructor such as _ZN1AC1Ev and _ZN1AC2Ev. C++ programs have thousands of these,
/// so it does not demangle.
bool are_shown_alike(std::string_view one, std::string_view other) {
  if (one == other) return true;
  if (one.size() != other.size() || !one.starts_with("_Z") || !other.starts_with("_Z"))
    return false;
  const auto kind = static_cast<std::size_t>(
      std::mismatch(one.begin(), one.end(), other.begin()).first - one.begin());
  const auto is_kind = [](char letter) { return letter >= '0' && letter <= '5'; };
  return is_kind(one[kind]) && is_kind(other[kind]) &&
         (one[kind - 1] == 'C' || one[kind - 1] == 'D') && one.substr(kind + 1, 1) == "E" &&
         one.substr(kind + 1) == other.substr(kind + 1);
}

/// Returns true if `one` is better than another symbol at its address, by the first rule that they
/// differ in (choose_best_symbol of tools/perf/util/symbol.c).
bool SymbolTable::is_better(const Symbol& one, const Symbol& other) const {
  const auto rank = [](const Symbol& symbol) {
    return std::array<int, 4>{symbol.end > symbol.start, symbol.type != kNoType,
                              symbol.binding != kWeak, symbol.binding == kGlobal};
  };
  if (const auto a = rank(one), b = rank(other); a != b) return a > b;
  const std::string_view name = one.name;
  if (one.mangled == other.mangled && are_shown_alike(name, other.name) &&
      name.find("SyS") == name.npos)
    return true;
  const auto shown = [&](const Symbol& symbol) {
    return budget_ ? shown_name(symbol, *budget_) : std::string(symbol.name);
  };
  const std::string a = shown(one), b = shown(other);
  const auto underscores = [](const std::string& name) {
    return std::min(name.find_first_not_of('_'), name.size());
  };
  if (underscores(a) != underscores(b)) return underscores(a) < underscores(b);
  if (a.size() != b.size()) return a.size() > b.size();
  return !a.starts_with("SyS") && !a.starts_with("compat_SyS");
}

const char* SymbolTable::keep(std::string_view name) {
  if (names_.empty() || names_.back().capacity() - names_.back().size() <= name.size())
    names_.emplace_back().reserve(std::max(kBlock, name.size() + 1));
  std::vector<char>& block = names_.back();
  const auto at = block.insert(block.end(), name.begin(), name.end());
  block.push_back('\0');
  return &*at;
}

/// Radix sort by the start of symbols, one byte at a time from the lowest on, without equal bytes.
/// It takes a third of the time of std::stable_sort(). Symbols with the same start keep their
/// order.
static void sort_by_start(std::span<Symbol> symbols) {
  std::uint64_t differences = 0;
  for (const Symbol& symbol : symbols) differences |= symbol.start ^ symbols[0].start;
  std::vector<Symbol> room(symbols.size());
  std::span<Symbol> from = symbols, to = room;
  for (unsigned shift = 0; shift < 64; shift += 8) {
    if ((differences >> shift & 255) == 0) continue;
    const auto byte_of = [shift](const Symbol& symbol) { return symbol.start >> shift & 255; };
    std::array<std::size_t, 257> places = {};
    for (const Symbol& symbol : from) ++places[byte_of(symbol) + 1];
    std::partial_sum(places.begin(), places.end(), places.begin());
    for (const Symbol& symbol : from) to[places[byte_of(symbol)]++] = symbol;
    std::swap(from, to);
  }
  if (from.data() != symbols.data()) std::ranges::copy(from, symbols.begin());
}

// Listings of kernels are mostly sorted, and so are symbols that were sorted before others were
// added.
void SymbolTable::put_in_order() {
  const auto before = [](const Symbol& a, const Symbol& b) { return a.start < b.start; };
  const auto rest = std::is_sorted_until(symbols_.begin(), symbols_.end(), before);
  sort_by_start({rest, symbols_.end()});
  std::inplace_merge(symbols_.begin(), rest, symbols_.end(), before);
}

void SymbolTable::sort() {
  put_in_order();
  measure_reach();
}

void SymbolTable::measure_reach() {
  reach_.clear();
  reach_.reserve(symbols_.size());
  std::uint64_t reach = 0;
  for (const Symbol& symbol : symbols_) reach_.push_back(reach = std::max(reach, symbol.end));
}

void SymbolTable::remove_duplicates() {
  std::size_t kept = 0;
  for (std::size_t i = 1; i < symbols_.size(); ++i) {
    Symbol &last = symbols_[kept], &next = symbols_[i];
    if (last.start != next.start) {
      symbols_[++kept] = next;
      continue;
    }
    const bool indirect = chooses_function(last) || chooses_function(next);
    if (!is_better(last, next)) last = next;
    last.indirect = indirect;
  }
  if (!symbols_.empty()) symbols_.resize(kept + 1);
}

void SymbolTable::arrange() {
  put_in_order();
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    Symbol& symbol = symbols_[i];
    if (symbol.start != symbol.end) continue;
    symbol.end = i + 1 < symbols_.size() ? symbols_[i + 1].start : next_page(symbol.start) + kPage;
  }
  remove_duplicates();
  measure_reach();
}

void SymbolTable::arrange_kernel() {
  put_in_order();
  std::string_view module = symbols_.empty() ? "" : module_of(symbols_[0]);
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    Symbol& symbol = symbols_[i];
    const bool is_last = i + 1 == symbols_.size();
    const std::string_view next = is_last ? "" : module_of(symbols_[i + 1]);
    if (is_last || std::exchange(module, next) != next)
      symbol.end = next_page(symbol.start) + kPage;
    else
      symbol.end = symbols_[i + 1].start;
  }
  remove_duplicates();
  measure_reach();
}

// Symbols may be inside others; the search stops where no symbol reaches the address.
const Symbol* SymbolTable::find(std::uint64_t address) const {
  auto at = static_cast<std::size_t>(
      std::upper_bound(symbols_.begin(), symbols_.end(), address,
                       [](std::uint64_t a, const Symbol& b) { return a < b.start; }) -
      symbols_.begin());
  constexpr unsigned kMostNested = 1000;  // a damaged file may have one that encloses all others
  for (unsigned looked = 0; looked < kMostNested && at-- > 0 && reach_[at] >= address; ++looked) {
    const Symbol& symbol = symbols_[at];
    if (address < symbol.end || address == symbol.start) return &symbol;
  }
  return nullptr;
}

}  // namespace evname::elf
