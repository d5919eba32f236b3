// Folded stacks: "event;comm;0xroot;…;0xleaf count", sorted, as flame graph tools take them.

#include <algorithm>
#include <map>

#include "annotate/callchain.hpp"
#include "annotate/writers.hpp"

namespace evname {
namespace {

class FoldedWriter final : public SampleWriter {
 public:
  explicit FoldedWriter(const WriterSetup& setup)
      : context_(setup.context), out_(setup.out), periods_(setup.options.count_periods) {}

  bool sample(const Sample& sample) override {
    frames_.clear();
    for_each_frame(sample, [this](std::uint64_t address) { frames_.push_back(address); });
    if (frames_.empty() && sample.ip()) frames_.push_back(*sample.ip());
    key_.clear();
    add(context_.names[sample.event().attr]);
    key_ += ';';
    add(sample.tid() ? sample.comm() : "-");
    for (auto at = frames_.rbegin(); at != frames_.rend(); ++at)
      fmt::format_to(std::back_inserter(key_), ";{:#x}", *at);
    stacks_[key_] += periods_ ? sample.period() : 1;
    return true;
  }

  void end() override {
    for (const auto& [stack, count] : stacks_) {
      out_.text(stack);
      out_.put(' ');
      out_.decimal(count);
      if (!out_.end_line()) return;
    }
  }

 private:
  // ';' separates frames, the last space the count.
  void add(std::string_view name) {
    for (const char letter : name)
      key_ += letter == ';' ? ':' : letter == ' ' || letter == '\n' ? '_' : letter;
  }

  FieldContext& context_;
  Output& out_;
  bool periods_;
  std::vector<std::uint64_t> frames_;
  std::string key_;
  std::map<std::string, std::uint64_t> stacks_;
};

}  // namespace

std::unique_ptr<SampleWriter> make_folded_writer(const WriterSetup& setup) {
  return std::make_unique<FoldedWriter>(setup);
}

}  // namespace evname
