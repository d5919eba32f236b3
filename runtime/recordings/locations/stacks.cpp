#include "evname/stacks.hpp"

#include "recordings/locations/frame_namer.hpp"
#include "recordings/perf_data/perf_data_state.hpp"

namespace evname {

StackNamer::StackNamer(const PerfData& file, const Symbols& symbols)
    : state_(new State{recording::FrameNamer(file, symbols, true)}) {}
StackNamer::StackNamer(StackNamer&& other) noexcept = default;
StackNamer& StackNamer::operator=(StackNamer&& other) noexcept = default;
StackNamer::~StackNamer() = default;

bool StackNamer::stack(const Sample& sample, std::vector<CodeAddress>& stack) {
  return state_->namer.stack(sample, stack);
}

const NamedAddress& StackNamer::at(const Sample& sample, CodeAddress address) {
  return state_->namer.at(sample, address);
}

}  // namespace evname
