// One sample at a time: the pass is left after each record that has samples.

#include <optional>
#include <utility>
#include <vector>

#include "recordings/perf_data/perf_data_state.hpp"

namespace evname {

// A sample is handed out after its call, so what of a SampleView is on the stack of that call is
// copied. The bytes of its record stay where they are until the session goes on.
struct SampleRange::State final : perfdata::session::SampleSink {
  State(const PerfData& data, const PassOptions& how)
      : file(data), session(detail::state_of(file).file, *this, session_options(how)) {}

  static perfdata::session::PassOptions session_options(const PassOptions& how) {
    auto options = recording::session_options(how);
    options.stepwise = true;
    return options;
  }

  bool sample(const perfdata::session::SampleView& view) override {
    held.push_back({&view.event, view.core});
    record = view.record;
    tail = &view.tail;
    comm = view.comm;
    maps = &view.maps;
    cgroup = view.cgroup;
    return true;
  }

  /// Is there one? It is then held[next].
  bool find_next() {
    if (++at < held.size()) return true;
    held.clear();
    at = 0;
    while (held.empty() && session.advance()) {
    }
    return !held.empty();
  }

  const Sample* show() {
    const Held& one = held[at];
    view.emplace(
        perfdata::session::SampleView{*one.event, one.core, *tail, comm, record, *maps, cgroup});
    ref.emplace(detail::sample_ref(detail::state_of(file), *view));
    current.emplace(detail::sample_of(*ref));
    return &*current;
  }

  struct Held {
    const perfdata::Event* event;
    perfdata::SampleCore core;
  };

  PerfData file;
  perfdata::session::Session session;
  std::vector<Held> held;  ///< the samples of one record; mostly one
  std::size_t at = 0;
  perfdata::Record record;
  const perfdata::SampleTail* tail = nullptr;
  std::string_view comm;
  const perfdata::session::ProcessMaps* maps = nullptr;
  std::string_view cgroup;
  std::optional<perfdata::session::SampleView> view;
  std::optional<detail::SampleRef> ref;
  std::optional<Sample> current;
  bool inside = false;  ///< next() is at work, or an exception left it
};

SampleRange::SampleRange(std::unique_ptr<State> state) : state_(std::move(state)) {}
SampleRange::SampleRange(SampleRange&& other) noexcept = default;
SampleRange& SampleRange::operator=(SampleRange&& other) noexcept = default;
SampleRange::~SampleRange() = default;

const Sample* SampleRange::next() {
  if (std::exchange(state_->inside, true)) return nullptr;
  const Sample* const sample = state_->find_next() ? state_->show() : nullptr;
  state_->inside = false;
  return sample;
}

SampleTally SampleRange::tally() const { return recording::tally_of(state_->session.tally()); }

SampleRange PerfData::samples(const PassOptions& options) const {
  return SampleRange(std::make_unique<SampleRange::State>(*this, options));
}

}  // namespace evname
