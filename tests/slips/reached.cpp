// Linked into the unit tests with the slips: which of them each test reaches.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "reached.hpp"

namespace slips {
namespace {

/// Writes a line for each test: its name, the milliseconds it took, and the slips it reached.
class Recorder : public testing::EmptyTestEventListener {
 public:
  explicit Recorder(const char* path) : out_(std::fopen(path, "w")) {}
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder() override {
    if (out_ != nullptr) std::fclose(out_);
  }

  void OnTestStart(const testing::TestInfo&) override { reached_slips(); }
  void OnTestEnd(const testing::TestInfo& test) override {
    if (out_ == nullptr) return;
    const testing::TestResult& result = *test.result();
    std::fprintf(out_, "%s.%s %lld", test.test_suite_name(), test.name(),
                 static_cast<long long>(result.elapsed_time()));
    for (const int slip : reached_slips()) std::fprintf(out_, " %d", slip);
    std::fputc('\n', out_);
    std::fflush(out_);
  }

 private:
  std::FILE* out_;
};

const bool recorded = [] {
  if (const char* path = std::getenv("EVNAME_SLIPS_OF_TESTS"))
    testing::UnitTest::GetInstance()->listeners().Append(new Recorder(path));
  return true;
}();

}  // namespace
}  // namespace slips
