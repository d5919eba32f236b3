// Folded stacks: "event;comm;0xroot;…;0xleaf count", sorted, as flame graph tools take them.

#include <algorithm>
#include <unordered_map>

#include "annotation/callchain.hpp"
#include "annotation/writers.hpp"

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
    for (auto at = frames_.rbegin(); at != frames_.rend(); ++at) add(*at);
    stacks_[key_] += periods_ ? sample.period() : 1;
    return true;
  }

  void end() override {
    std::vector<const Stacks::value_type*> sorted;
    sorted.reserve(stacks_.size());
    for (const auto& stack : stacks_) sorted.push_back(&stack);
    std::sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->first < b->first; });
    for (const auto* stack : sorted) {
      out_.text(stack->first);
      out_.put(' ');
      out_.decimal(stack->second);
      if (!out_.end_line()) return;
    }
  }

 private:
  using Stacks = std::unordered_map<std::string, std::uint64_t>;

  // ';' separates frames, the last space the count.
  void add(std::string_view name) {
    for (const char letter : name)
      key_ += letter == ';' ? ':' : letter == ' ' || letter == '\n' ? '_' : letter;
  }
  void add(std::uint64_t address) {
    char text[19] = ";0x";
    key_.append(text, std::to_chars(text + 3, text + sizeof text, address, 16).ptr);
  }

  FieldContext& context_;
  Output& out_;
  bool periods_;
  std::vector<std::uint64_t> frames_;
  std::string key_;
  Stacks stacks_;
};

}  // namespace

std::unique_ptr<SampleWriter> make_folded_writer(const WriterSetup& setup) {
  return std::make_unique<FoldedWriter>(setup);
}

}  // namespace evname
