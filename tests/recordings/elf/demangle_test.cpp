#include "recordings/elf/symbol_table.hpp"

#include <gtest/gtest.h>

namespace evname::elf {
namespace {

constexpr const char* kRust = "_RNvCskwGfYPst2Cb_3foo16example_function";

struct DemangleCase {
  const char* mangled;
  const char* name;  ///< as c++filt and rustfilt print it
};

TEST(Demangle, DemanglesWhatCompilersMangled) {
  Budget budget;
  const DemangleCase cases[] = {
      {"_ZNSt6vectorIiSaIiEE9push_backERKi",
       "std::vector<int, std::allocator<int> >::push_back(int const&)"},
      {"main", ""},
      {"i", ""},
      {"_Z", ""},
      {"_R", ""},
  };
  for (const auto& c : cases) EXPECT_EQ(demangle(c.mangled, budget), c.name) << c.mangled;
  if (demangle(kRust, budget).empty()) GTEST_SKIP() << "this build has no libiberty for Rust";
  EXPECT_EQ(demangle(kRust, budget), "foo::example_function");
  EXPECT_EQ(demangle("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", budget),
            "core::fmt::Write::write_fmt");
}

}  // namespace
}  // namespace evname::elf
