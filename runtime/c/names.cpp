// Codes to names.

#include <string>
#include <string_view>

#include "c/guard.hpp"
#include "c/handles.hpp"

using namespace evname::c;

namespace {

evname::CodeNames names_of(const evname::Machine& machine, const char* pmu,
                           const evname_code& code) {
  return pmu == nullptr ? machine.names_of(code) : machine.names_of(pmu, code);
}

/// Texts one behind the other, each with its NUL.
class Texts {
 public:
  Texts(char* buffer, bool fits) : buffer_(buffer), fits_(fits) {}

  const char* add(std::string_view text) {
    if (!fits_) return "";
    char* const to = buffer_;
    buffer_ += text.copy(buffer_, text.size());
    *buffer_++ = '\0';
    return to;
  }

 private:
  char* buffer_;
  bool fits_;
};

std::size_t size_of(const evname::CodeNames& found) {
  std::size_t size = found.qualifiers.size() + found.pmu.size() + found.terms.size() + 3;
  for (const std::string& name : found.names) size += name.size() + 1;
  return size;
}

}  // namespace

const char* evname_exact_name(const evname_machine* machine, const char* pmu,
                              const evname_code* code) {
  const char* name = "";
  guarded(nullptr, [&]() -> evname::Result<void> {
    name = text_of(pmu == nullptr ? machine->machine.exact_name(*code)
                                  : machine->machine.exact_name(pmu, *code));
    return {};
  });
  return name;
}

int evname_names_of(const evname_machine* machine, const char* pmu, const evname_code* code,
                    evname_names* out, char* buffer, size_t size, size_t* needed,
                    evname_error* error) {
  *out = {"", 0, "", "", "", 0, 0, {}};
  if (needed != nullptr) *needed = 0;
  return guarded(error, [&]() -> evname::Result<void> {
    const evname::CodeNames found = names_of(machine->machine, pmu, *code);
    if (needed != nullptr) *needed = size_of(found);
    Texts texts(buffer, size_of(found) <= size);
    out->count = found.names.size();
    out->exact = found.exact;
    out->qualifiers = texts.add(found.qualifiers);
    out->pmu = texts.add(found.pmu);
    out->terms = texts.add(found.terms);
    for (const std::string& name : found.names) {
      const char* const at = texts.add(name);
      if (&name == found.names.data()) out->names = at;
    }
    return {};
  });
}
