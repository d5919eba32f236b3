// What the records of a recording tell beside its samples.

#include <set>
#include <utility>

#include "recordings/format/features.hpp"
#include "recordings/format/scheduler_records.hpp"
#include "recordings/perf_data/perf_data_state.hpp"

namespace evname {
namespace {

class Surveyor final : public perfdata::session::SampleSink {
 public:
  Surveyor(const perfdata::stream::File& file, RecordSurvey& out)
      : order_(file.header.order), out_(out) {
    for (const perfdata::BuildId& one : file.features.build_ids) add(one);
  }

  bool sample(const perfdata::session::SampleView&) override { return true; }

  void other(const perfdata::Record& record) override {
    if (record.type == perfdata::kRecordBpfMetadata)
      out_.bpf_metadata.push_back(perfdata::read_bpf_metadata(record, order_));
    if (const auto found = perfdata::mapped_build_id(record, order_)) add(*found);
    if (perfdata::is_of_scheduler(record.type)) scheduler_.add(record, order_);
  }

  std::vector<perfdata::SchedulerStatistics> scheduler() { return scheduler_.take(); }

 private:
  void add(const perfdata::BuildId& one) {
    if (known_.emplace(one.file, one.id).second) out_.build_ids.push_back(one);
  }

  std::endian order_;
  RecordSurvey& out_;
  perfdata::SchedulerSums scheduler_;
  std::set<std::pair<std::string, std::vector<std::uint8_t>>> known_;
};

}  // namespace

RecordSurvey PerfData::survey(const PassOptions& options) const {
  RecordSurvey survey;
  Surveyor surveyor(state_->file, survey);
  survey.tally = recording::tally_of(
      perfdata::session::Session(state_->file, surveyor, recording::session_options(options))
          .run());
  survey.scheduler = surveyor.scheduler();
  return survey;
}

}  // namespace evname
