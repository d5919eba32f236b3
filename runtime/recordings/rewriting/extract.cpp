#include "evname/rewrite.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "base/enum_table.hpp"
#include "base/output/output_directory.hpp"
#include "recordings/locations/location_cache.hpp"
#include "recordings/perf_data/recording_state.hpp"
#include "recordings/rewriting/copies.hpp"

namespace evname::rewriting {
namespace {

constexpr auto kKeys = enum_table<&SplitKeyInfo::key>({{SplitKey::event, "event"},
                                                       {SplitKey::thread, "thread"},
                                                       {SplitKey::comm, "comm"},
                                                       {SplitKey::cpu, "cpu"}});

/// Calls `each` with the accepted samples and their records, until it returns false; for a record
/// with several samples only with the first.
template <class Each>
SampleTally for_each_accepted(const Recording& file, const SampleFilter& filter,
                              const ExtractOptions& options, Each each) {
  const detail::RecordingState& state = detail::state_of(file);
  const Symbols none;
  locations::LocationCache locations(file, options.symbols ? *options.symbols : none, true);
  const auto selection = detail::Access::make<Selection>(filter, file, &locations);
  PassOptions how = options.pass;
  how.waits = false;
  session::RecordCursor cursor(state.file, how,
                               {.leaves_traces = true, .maps = filter.needs_symbols()});
  for (bool is_taken = false; cursor.next_sample();) {
    const Sample sample = detail::sample_at(state, cursor);
    if (cursor.is_first_of_record()) is_taken = false;
    if (is_taken || !selection.accepts(sample)) continue;
    is_taken = true;
    if (!each(sample, cursor.record())) break;
  }
  return cursor.tally();
}

ChosenSamples no_samples(const Recording& file, const ExtractOptions& options) {
  return ChosenSamples(detail::state_of(file).file, options.pass.salvage
                                                        ? perf_format::Damage::salvage
                                                        : perf_format::Damage::stop);
}

Result<void> check(const Recording& file, const SampleFilter& filter) {
  if (auto done = filter.check(file); !done) return done;
  return check_choosable(detail::state_of(file).file);
}

/// The keys of split(), as numbers. -1: not sampled.
class Keys {
 public:
  Keys(const Recording& file, SplitKey key) : state_(detail::state_of(file)), key_(key) {}

  std::int64_t of(const Sample& sample, const perf_format::Record& record) {
    if (key_ == SplitKey::event) {
      const auto& events = state_.file.events;
      const perf_format::Event* event = events.of_sample(record, state_.file.header.order);
      return event ? events.index_of(*event) : -1;
    }
    if (key_ == SplitKey::cpu) return sample.cpu() ? std::int64_t{*sample.cpu()} : -1;
    if (!sample.tid()) return -1;
    return key_ == SplitKey::thread ? std::int64_t{*sample.tid()} & UINT32_MAX
                                    : comm(sample.comm());
  }

  std::string text(std::int64_t number, const Sample& sample) const {
    if (number == -1) return "-";
    if (key_ == SplitKey::event) return state_.events[static_cast<std::size_t>(number)].full_name();
    if (key_ == SplitKey::cpu) return fmt::format("{}", number);
    return key_ == SplitKey::comm ? std::string(sample.comm())
                                  : fmt::format("{} ({})", sample.comm(), *sample.tid());
  }

 private:
  std::int64_t comm(std::string_view name) {
    return comms_.try_emplace(std::string(name), static_cast<std::int64_t>(comms_.size()))
        .first->second;
  }

  const detail::RecordingState& state_;
  SplitKey key_;
  std::unordered_map<std::string, std::int64_t> comms_;
};

/// Returns a unique file name for a key.
std::string file_name(std::string_view key, std::set<std::string>& taken) {
  constexpr std::size_t kLongest = 100;
  std::string name;
  for (const char letter : key.substr(0, kLongest)) {
    const bool plain = (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
                       (letter >= 'A' && letter <= 'Z') || letter == '-' || letter == '.' ||
                       letter == '+';
    if (plain)
      name += letter;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  while (name.ends_with('_')) name.pop_back();
  if (name.empty() || name[0] == '.') name.insert(name.begin(), '_');
  std::string free = name;
  for (int i = 2; !taken.insert(free).second; ++i) free = fmt::format("{}-{}", name, i);
  return free + ".data";
}

/// Splits a recording.
class Split {
 public:
  Split(const Recording& file, SplitKey key, const SampleFilter& filter,
        const std::string& directory, const ExtractOptions& options, std::uint64_t most_bits)
      : file_(file),
        filter_(filter),
        directory_(directory),
        options_(options),
        most_bits_(most_bits),
        keys_(file, key) {}

  Result<SplitResult> run() {
    if (auto whole = perf_data::unless_cancelled(find_parts()); !whole) return fail(whole);
    if (result_.parts.empty()) return std::move(result_);
    if (auto done = check_names(); !done) return fail(done);
    if (auto done = check_space(); !done) return fail(done);
    OutputFiles files;
    for (std::size_t first = 0; first < result_.parts.size(); first += parts_a_pass()) {
      if (first > 0)
        if (auto whole = perf_data::unless_cancelled(choose(first, files)); !whole)
          return fail(whole);
      if (auto done = write_parts(first, files); !done) return fail(done);
    }
    files.keep();
    return std::move(result_);
  }

 private:
  /// Finds all parts, and chooses the samples of the first pass's parts.
  const SampleTally& find_parts() {
    for (const auto& stream : detail::state_of(file_).file.streams) bytes_ += stream.bytes.size();
    bits_ = bytes_ / 8 + 1;
    std::set<std::string> taken;
    result_.tally = for_each_accepted(file_, filter_, options_,
                                      [&](const Sample& sample, const perf_format::Record& record) {
                                        const std::int64_t key = keys_.of(sample, record);
                                        const auto [part, is_new] = numbers_.add(key);
                                        if (is_new) add_part(key, sample);
                                        if (part < chosen_.size()) chosen_[part].keep(record);
                                        ++result_.parts[part].samples;
                                        sample_bytes_ += record.bytes.size();
                                        return true;
                                      });
    for (SplitResult::Part& part : result_.parts) {
      part.path = (std::filesystem::path(directory_) / file_name(part.key, taken)).string();
      result_.tally.selected += part.samples;
    }
    return result_.tally;
  }

  /// Adds the part of a key, which has a first sample.
  void add_part(std::int64_t key, const Sample& sample) {
    result_.parts.push_back({keys_.text(key, sample), {}, 0});
    if (result_.parts.size() <= parts_a_pass()) chosen_.push_back(no_samples(file_, options_));
  }

  /// Chooses the samples of the parts of a pass, until a signal comes.
  SampleTally choose(std::size_t first, const OutputFiles& files) {
    constexpr std::size_t kSeldom = 1 << 14;  // checking for signals takes longer than a sample
    std::size_t samples = 0;
    const std::size_t count = std::min(parts_a_pass(), result_.parts.size() - first);
    chosen_.assign(count, no_samples(file_, options_));
    ExtractOptions how = options_;
    if (first > 0 && how.pass.progress)  // the copies go on after it
      how.pass.progress = [copied = progress_of(first)](std::uint64_t, std::uint64_t total) {
        return copied(0, total);
      };
    return for_each_accepted(
        file_, filter_, how, [&](const Sample& sample, const perf_format::Record& record) {
          const std::size_t part = numbers_.add(keys_.of(sample, record)).first;
          if (part >= first && part - first < count) chosen_[part - first].keep(record);
          return ++samples % kSeldom != 0 || files.go_on();
        });
  }

  /// Each part has all events, features and records other than samples: for a recording with a
  /// million threads, a million times their size. With a filter, the size of the samples is
  /// unknown, and only what is not among the records counts.
  Result<void> check_space() const {
    std::error_code error;
    const auto space = std::filesystem::space(existing_part(directory_), error);
    const std::uint64_t whole = bytes_of(detail::state_of(file_).file);
    const std::uint64_t left_out = filter_.selects_events_only() ? sample_bytes_ : bytes_;
    const std::uint64_t others = whole > left_out ? whole - left_out : 0;
    const double needed = static_cast<double>(others) * static_cast<double>(result_.parts.size());
    if (error || needed <= static_cast<double>(space.available)) return {};
    constexpr double kMegabyte = 1e6;
    return fail(
        Errc::io,
        fmt::format(
            "{} files with all events and other records need {:.0f} MB, and {:.0f} are free",
            result_.parts.size(), needed / kMegabyte,
            static_cast<double>(space.available) / kMegabyte),
        directory_, "choose samples by a filter");
  }

  /// Nothing is written if a name is taken: the file may be another recording, or this one.
  Result<void> check_names() const {
    std::error_code error;
    for (const SplitResult::Part& part : result_.parts)
      if (std::filesystem::symlink_status(part.path, error).type() !=
          std::filesystem::file_type::not_found)
        return fail(Errc::io, error ? error.message() : "the file exists", part.path,
                    "existing files are never replaced");
    return {};
  }

  /// Returns the nearest existing directory: the path itself or one above it.
  static std::filesystem::path existing_part(const std::filesystem::path& path) {
    std::error_code error;
    auto part = std::filesystem::absolute(path, error);
    while (part.has_relative_path() && !std::filesystem::exists(part, error))
      part = part.parent_path();
    return part;
  }

  std::size_t parts_a_pass() const {
    return std::max<std::size_t>(1, static_cast<std::size_t>(most_bits_ / bits_));
  }

  /// Returns the progress of one of the copies; together they are the recording's size.
  std::function<bool(std::uint64_t, std::uint64_t)> progress_of(std::size_t part) const {
    if (!options_.pass.progress) return {};
    return [this, part](std::uint64_t done, std::uint64_t total) {
      const auto parts = static_cast<double>(result_.parts.size());
      const double share = static_cast<double>(part) / parts;
      return options_.pass.progress(static_cast<std::uint64_t>(share * static_cast<double>(total)) +
                                        done / result_.parts.size(),
                                    total);
    };
  }

  Result<void> write_parts(std::size_t first, OutputFiles& files) {
    if (auto done = files.make_directory(directory_); !done) return done;
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      if (auto done = files.go_on(); !done) return done;
      const std::string& path = result_.parts[first + i].path;
      const auto done =
          copy_recording(file_, {{}, &chosen_[i], progress_of(first + i)}, path, Replaces::nothing);
      if (!done) return fail(done);
      files.add(path);
    }
    return {};
  }

  const Recording& file_;
  const SampleFilter& filter_;
  const std::string& directory_;
  const ExtractOptions& options_;
  std::uint64_t most_bits_;
  Keys keys_;
  Numbers<std::int64_t> numbers_;               ///< of parts, by key
  std::vector<ChosenSamples> chosen_;           ///< of the parts of a pass
  std::uint64_t bits_ = 1;                      ///< that a part takes
  std::uint64_t bytes_ = 0, sample_bytes_ = 0;  ///< of records
  SplitResult result_;
};

}  // namespace

Result<SplitResult> split_in_passes(const Recording& file, SplitKey key, const SampleFilter& filter,
                                    const std::string& directory, const ExtractOptions& options,
                                    std::uint64_t most_bits) {
  if (auto done = check(file, filter); !done) return fail(done);
  if (!kKeys.find(key)) return fail(Errc::invalid_argument, "there is no such key");
  return Split(file, key, filter, directory, options, most_bits).run();
}

}  // namespace evname::rewriting

namespace evname {

std::span<const SplitKeyInfo> split_keys() { return rewriting::kKeys; }

Result<Extracted> extract(const Recording& file, const SampleFilter& filter,
                          const std::string& path, const ExtractOptions& options) {
  if (auto done = rewriting::check(file, filter); !done) return fail(done);
  Extracted out;
  rewriting::ChosenSamples chosen = rewriting::no_samples(file, options);
  std::uint64_t kept = 0;
  out.tally = rewriting::for_each_accepted(file, filter, options,
                                           [&](const Sample&, const perf_format::Record& record) {
                                             chosen.keep(record);
                                             ++kept;
                                             return true;
                                           });
  if (auto whole = perf_data::unless_cancelled(out.tally); !whole) return fail(whole);
  out.tally.selected = kept;
  if (kept == 0) return out;
  if (options.symbols != nullptr)
    if (auto fine = check_replaceable(path, options.symbols->plain_files(), true); !fine)
      return fail(fine);
  out.renamed = names_to_inject(file);
  const auto done = rewriting::copy_recording(file, {out.renamed, &chosen, options.pass.progress},
                                              path, Replaces::others);
  if (!done) return fail(done);
  return out;
}

Result<SplitResult> split(const Recording& file, SplitKey key, const SampleFilter& filter,
                          const std::string& directory, const ExtractOptions& options) {
  return rewriting::split_in_passes(file, key, filter, directory, options);
}

}  // namespace evname
