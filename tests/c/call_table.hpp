#pragma once
// What no_memory.cpp tries of each function of the C interface. For one source of a program.

#include <evname/evname.h>
#include <fcntl.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "failing_new.hpp"

namespace {

struct Fixture {
  std::string recording_path, events, out, parts;
  evname_machine* machine = nullptr;
  evname_machine* small = nullptr;  ///< of a model with few events
  evname_recording* recording = nullptr;
  int sink = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
};

evname_code code_of(std::uint32_t type, std::uint64_t config) {
  evname_code code = {};
  code.type = type;
  code.has_type = 1;
  code.config[0] = config;
  return code;
}

/// The calls of each function, in the order of the tests.
struct Table {
  using Try = std::function<void(const char*, Fixture&)>;
  Try& operator[](const char* name) { return rows.emplace_back(name, Try()).second; }
  std::vector<std::pair<std::string, Try>> rows;
};

/// A row for a function that makes a handle.
template <class Handle, class Open>
void opens(Table& table, const char* function, void (*free)(Handle*), Open open) {
  table[function] = [=](const char* name, Fixture& f) {
    fail_each(name, [&](evname_error* e) {
      return opened<Handle>(free, [&](auto** out) { return open(f, out, e); });
    });
  };
}

}  // namespace
