// Linked into the unit tests with the slips: which of them each test reaches.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "reached.hpp"

namespace slips {
namespace {

/// Writes a line for each test: its name, the milliseconds of CPU time, and the slips it reached.
class Recorder : public testing::EmptyTestEventListener {
 public:
  explicit Recorder(const char* path) : out_(std::fopen(path, "w")) {}
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder() override {
    if (out_ != nullptr) std::fclose(out_);
  }

  void OnTestStart(const testing::TestInfo&) override {
    reached_slips();
    start_ = std::clock();
  }
  void OnTestEnd(const testing::TestInfo& test) override {
    if (out_ == nullptr) return;
    const auto took = (std::clock() - start_) / (CLOCKS_PER_SEC / 1000);
    std::fprintf(out_, "%s.%s %ld", test.test_suite_name(), test.name(), static_cast<long>(took));
    for (const int slip : reached_slips()) std::fprintf(out_, " %d", slip);
    std::fputc('\n', out_);
    std::fflush(out_);
  }

 private:
  std::FILE* out_;
  std::clock_t start_ = 0;
};

const bool recorded = [] {
  if (const char* path = std::getenv("EVNAME_SLIPS_OF_TESTS"))
    testing::UnitTest::GetInstance()->listeners().Append(new Recorder(path));
  return true;
}();

}  // namespace
}  // namespace slips
