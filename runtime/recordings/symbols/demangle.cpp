#include "recordings/symbols/demangle.hpp"

#include <cstdlib>
#include <memory>
#include <string_view>

#include <cxxabi.h>

#ifdef HAVE_LIBIBERTY
#define HAVE_DECL_BASENAME 1  // as libiberty.h wants it
#include <libiberty/demangle.h>
#endif

namespace evname::symbols {
namespace {

using Owned = std::unique_ptr<char, decltype(&std::free)>;

std::string text_of(char* name) {
  const Owned owned(name, std::free);
  return name ? std::string(name) : std::string();
}

/// Rust's legacy names are C++ names whose last part is a hash: "17h" and 16 digits, then "E" and
/// what LLVM may have added.
bool is_legacy_rust(std::string_view name) {
  const std::size_t at = name.find("17h");
  return name.starts_with("_ZN") && at != name.npos && name.size() >= at + 20 &&
         name[at + 19] == 'E' &&
         name.substr(at + 3, 16).find_first_not_of("0123456789abcdef") == name.npos;
}

#ifdef HAVE_LIBIBERTY
char* rust_name(const char* name) { return rust_demangle(name, DMGL_NO_OPTS); }
#else
char* rust_name(const char*) { return nullptr; }
#endif

}  // namespace

std::string demangle(const char* name) {
  const std::string_view text(name);
  if (text.starts_with("_R") || is_legacy_rust(text))
    if (std::string rust = text_of(rust_name(name)); !rust.empty()) return rust;
  // Any short name is the mangled name of some type: "i" of int.
  if (!text.starts_with("_Z") && !text.starts_with("_GLOBAL_")) return {};
  int status = 0;
  return text_of(abi::__cxa_demangle(name, nullptr, nullptr, &status));
}

}  // namespace evname::symbols
