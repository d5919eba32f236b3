// Writes recordings with the names that their samples need.

#include <string_view>
#include <unordered_map>

#include "base/hash_map.hpp"
#include "recordings/locations/location_cache.hpp"
#include "recordings/perf_data/recording_state.hpp"
#include "recordings/rewriting/copies.hpp"
#include "recordings/symbols/code_history.hpp"

namespace evname::rewriting {
namespace {

constexpr std::uint64_t kContextUser = -512, kContextKernel = -128;  // PERF_CONTEXT_*

/// The callchains that samples get, each kept once.
class NewChains {
 public:
  explicit NewChains(const stream::File& file) : file_(file) {}

  bool empty() const { return of_records_.empty(); }
  std::uint64_t size() const { return of_records_.size(); }

  void add(const perf_format::Record& record, std::span<const Address> stack) {
    ByteWriter chain(file_.header.order);
    for (std::size_t i = 0; i < stack.size(); ++i) {
      if (i == 0 || stack[i].kernel != stack[i - 1].kernel)
        chain.u64(stack[i].kernel ? kContextKernel : kContextUser);
      chain.u64(stack[i].value);
    }
    const auto [at, is_new] = numbers_.try_emplace(chain.bytes(), chains_.size());
    if (is_new) chains_.push_back(&at->first);
    of_records_.try_emplace(place_of(record, file_), at->second);
  }

  /// Returns nullptr if the record keeps its callchain.
  const std::string* of(const perf_format::Record& record) const {
    const auto at = of_records_.find(place_of(record, file_));
    return at == of_records_.end() ? nullptr : chains_[at->second];
  }

 private:
  const stream::File& file_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<const std::string*> chains_;
  HashMap<RecordPlace, std::uint32_t> of_records_;
};

/// Asks for the names of all addresses of a recording's samples.
class Pass {
 public:
  Pass(const Recording& file, const Symbols& symbols, NewChains& chains)
      : state_(detail::state_of(file)), chains_(chains), locations_(file, symbols, true) {}

  SampleTally run(PassOptions options) {
    options.waits = false;
    session::RecordCursor cursor(state_.file, options);
    while (cursor.next_sample()) visit(detail::sample_at(state_, cursor));
    return cursor.tally();
  }

 private:
  void visit(const Sample& sample) {
    locations_.follow(sample);
    const bool is_known = locations_.stack(sample, stack_);
    locations_.at(sample, perf_data::instruction_of(sample));
    for (const Address& address : stack_) locations_.at(sample, address);
    const SampleWords branches = sample.branches();  // from, to and flags of each
    for (std::size_t i = 0; i + 2 < branches.size(); i += 3)
      for (const std::uint64_t end : {branches[i], branches[i + 1]}) name(sample, end);
    if (const auto address = sample.addr()) name(sample, *address);
    const bool has_callers = locations_.has_unwound() || locations_.leaf_caller() != 0;
    if (is_known && has_callers) chains_.add(detail::record_of(sample).record, stack_);
  }

  /// Names an address that may be the kernel's or the process's.
  void name(const Sample& sample, std::uint64_t value) {
    for (const bool kernel : {false, true})
      if (const Address address{value, kernel}; locations_.range(sample, address).dso)
        locations_.at(sample, address);
  }

  const detail::RecordingState& state_;
  NewChains& chains_;
  locations::LocationCache locations_;
  std::vector<Address> stack_;
};

/// Puts new callchains into samples.
class ChainWriter {
 public:
  ChainWriter(const stream::File& file, const NewChains& chains) : file_(file), chains_(chains) {}

  /// Returns the new record, valid until the next call; empty: it stays.
  Bytes operator()(const perf_format::Record& record) {
    const std::string* const chain = chains_.of(record);
    perf_format::SampleRecord sample;
    sample.record = record;
    const auto order = file_.header.order;
    const perf_format::Event* const event = chain ? file_.events.of_sample(record, order) : nullptr;
    if (!event || !event->attr.samples(perf_format::kSampleCallchain) ||
        perf_format::parse_sample(*event, order, sample) != nullptr)
      return {};
    return rebuild(sample, *chain);
  }

 private:
  /// The callchain is a number of words and the words; the copied stack is a size, the bytes, and
  /// how many of them hold data, or the size 0 alone.
  Bytes rebuild(const perf_format::SampleRecord& sample, const std::string& chain) {
    constexpr std::size_t kWord = 8, kLargest = 65'528;
    const std::string_view record = text_of(sample.record.bytes), old = text_of(sample.callchain),
                           stack = text_of(sample.stack);
    const auto offset = [&](std::string_view part) {
      return static_cast<std::size_t>(part.data() - record.data());
    };
    const std::size_t words = offset(old), after = words + old.size();
    const std::size_t copy = stack.empty() ? record.size() : offset(stack) - kWord;
    ByteWriter body(file_.header.order);
    body.raw(record.substr(perf_format::kRecordHeader, words - kWord - perf_format::kRecordHeader));
    body.u64(chain.size() / kWord);
    body.raw(chain);
    body.raw(record.substr(after, copy - after));
    if (!stack.empty()) {
      const auto size = load<std::uint64_t>(&sample.record.bytes[copy], file_.header.order);
      body.u64(0);
      body.raw(record.substr(copy + kWord + size + kWord));
    }
    if (perf_format::kRecordHeader + body.size() > kLargest) return {};
    rebuilt_ = perf_format::make_record(file_.header.order, sample.record.type, sample.record.misc,
                                        body.bytes());
    return {reinterpret_cast<const std::uint8_t*>(rebuilt_.data()), rebuilt_.size()};
  }

  const stream::File& file_;
  const NewChains& chains_;
  std::string rebuilt_;
};

}  // namespace
}  // namespace evname::rewriting

namespace evname {

Result<Packed> pack(const Recording& file, const Symbols& symbols, const std::string& path,
                    const PassOptions& pass) {
  const stream::File& of = detail::state_of(file).file;
  if (of.streams[0].more)
    return fail(Errc::unsupported, "names can be put into a file, not into a pipe", of.path,
                "write the recording to a file first");
  rewriting::NewChains chains(of);
  Packed out;
  detail::SymbolsAccess::collect(symbols);
  out.tally = rewriting::Pass(file, symbols, chains).run(pass);
  if (auto whole = perf_data::unless_cancelled(out.tally); !whole) return fail(whole);
  if (auto fine = check_replaceable(path, symbols.plain_files(), true); !fine) return fail(fine);
  const symbols::Collected names = detail::SymbolsAccess::collected(symbols);
  out.places = names.places;
  out.bytes = names.packed.size();
  out.stacks = chains.size();
  rewriting::ChosenSamples all(
      of, pass.salvage ? perf_format::Damage::salvage : perf_format::Damage::stop);
  all.keep_all();
  const bool rewrites = !chains.empty() || (!names.packed.empty() && of.header.pipe);
  if (rewrites)
    if (auto fine = rewriting::check_choosable(of); !fine) return fail(fine);
  const rewriting::Changes changes{.chosen = rewrites ? &all : nullptr,
                                   .progress = pass.progress,
                                   .feature = {perf_format::Feature::evname_names, names.packed},
                                   .edits = {.replaces = rewriting::ChainWriter(of, chains)}};
  const auto done = rewriting::copy_recording(file, changes, path, Replaces::others);
  if (!done) return fail(done);
  out.tally.warnings.insert(out.tally.warnings.end(), done->begin(), done->end());
  return out;
}

}  // namespace evname
