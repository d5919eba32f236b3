#include "stat/measurement.hpp"
#include "counting/places.hpp"

#include <algorithm>
#include <filesystem>

#include "base/sorting.hpp"
#include "base/text.hpp"
#include "input/number_list.hpp"
#include "screen/screen.hpp"

namespace evname::tools {
namespace {

/// For every process that exists now.
std::vector<int> all_processes() {
  std::vector<int> out;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error))
    if (const auto id = parse_decimal(entry.path().filename().string()); id && *id <= INT32_MAX)
      out.push_back(static_cast<int>(*id));
  sort_stably(out);
  return out;
}

CountTarget target_of(const StatOptions& options, int child) {
  CountTarget target;
  if (options.per() == Per::thread && options.all_cpus) {
    target.kind = CountTarget::Kind::processes;
    target.ids = all_processes();
  } else if (!options.pids.empty()) {
    target.kind = CountTarget::Kind::processes;
    append_numbers(options.pids, target.ids);
  } else if (!options.tids.empty()) {
    target.kind = CountTarget::Kind::threads;
    append_numbers(options.tids, target.ids);
  } else if (!options.of_command()) {
    target = CountTarget::on_cpus();
    if (!options.cpus.empty()) append_numbers(options.cpus, target.cpus);
  } else {
    target = CountTarget::thread(child);
  }
  return target;
}

CounterOptions counter_options(const StatOptions& options) {
  CounterOptions out;
  out.inherit = !options.no_inherit && options.per() != Per::thread;
  out.enable_on_exec = options.of_command() && options.starts_at_once();
  out.groups = Grouping::as_written;
  out.user_reads = false;
  out.user_space_if_refused = !options.all_kernel;
  if (options.all_user) out.space = CounterOptions::Space::user;
  if (options.all_kernel) out.space = CounterOptions::Space::kernel;
  out.partial = true;
  return out;
}

/// The encodings of all queries in one list, with the same groups.
std::vector<Encoding> encodings_of(std::span<const Query> queries) {
  std::vector<Encoding> out;
  for (const Query& query : queries) {
    const std::size_t first = out.size();
    for (Encoding e : query.encodings) {
      e.leader += first;
      out.push_back(std::move(e));
    }
  }
  return out;
}

}  // namespace

Result<Measurement::Piece> Measurement::open_piece(const Machine& machine,
                                                   const StatOptions& options,
                                                   std::span<const Query> queries,
                                                   const CountTarget& target) {
  auto counters = Counters::open(machine, encodings_of(queries), target, counter_options(options));
  if (!counters) return fail(std::move(counters));
  Piece piece{std::move(*counters), target.cgroup, {}, {}, false, {}, {}};
  for (std::size_t query = 0; query < queries.size(); ++query)
    piece.query_of.insert(piece.query_of.end(), queries[query].encodings.size(), query);
  const auto cpus = counting::online_cpus();
  piece.by_part = is_by_part(options.per());
  piece.parts = parts_of(
      options.per(), piece.counters.places(),
      cpus ? std::span<const counting::CpuPlace>(*cpus) : std::span<const counting::CpuPlace>(),
      options.cache.empty() ? 0 : options.cache_level());
  const std::vector<CounterValue> zeros(piece.counters.events().size());
  piece.before.assign(piece.counters.places().size(), zeros);
  piece.now = piece.before;
  return piece;
}

/// All events in each of the cgroups; as in perf, a cgroup that is named twice is counted once.
Result<Measurement> Measurement::open_each(const Machine& machine, const StatOptions& options,
                                           std::span<const Query> queries,
                                           const CountTarget& target) {
  Measurement out;
  for (const std::string_view name : split(options.each_cgroup, ',')) {
    const auto is_known = [&](const Piece& piece) { return piece.cgroup == name; };
    if (name.empty() || std::ranges::any_of(out.pieces_, is_known)) continue;
    auto piece = open_piece(machine, options, queries,
                            CountTarget::in_cgroup(std::string(name), target.cpus));
    if (!piece) return fail(std::move(piece));
    out.pieces_.push_back(std::move(*piece));
  }
  return out;
}

Result<Measurement> Measurement::open(const Machine& machine, const StatOptions& options,
                                      std::span<const Query> queries, int child) {
  Measurement out;
  if (std::ranges::all_of(queries, [](const Query& query) { return query.encodings.empty(); }))
    return out;  // metrics that need no counts
  CountTarget target = target_of(options, child);
  if (!options.each_cgroup.empty()) return open_each(machine, options, queries, target);
  std::vector<std::string_view> cgroups;
  if (!options.cgroups.empty()) cgroups = split(options.cgroups, ',');
  for (std::size_t i = 0; i < std::max<std::size_t>(cgroups.size(), 1); ++i) {
    if (!cgroups.empty()) target = CountTarget::in_cgroup(std::string(cgroups[i]), target.cpus);
    // Several cgroups apply to several events, one each; a single one applies to all events.
    const bool one_each = cgroups.size() > 1;
    if (one_each && i >= queries.size())
      return fail(Errc::invalid_argument, "-G names more cgroups than there are events");
    if (cgroups.size() > 1 && cgroups[i].empty()) target = CountTarget::on_cpus(target.cpus);
    auto piece = open_piece(machine, options, one_each ? queries.subspan(i, 1) : queries, target);
    if (!piece) return fail(std::move(piece));
    out.pieces_.push_back(std::move(*piece));
  }
  return out;
}

Result<void> Measurement::start() const {
  for (const Piece& piece : pieces_)
    if (auto done = piece.counters.enable(); !done) return done;
  return {};
}

Result<void> Measurement::stop() const {
  for (const Piece& piece : pieces_)
    if (auto done = piece.counters.disable(); !done) return done;
  return {};
}

Result<void> Measurement::sample() {
  for (Piece& piece : pieces_) {
    std::swap(piece.before, piece.now);
    for (std::size_t place = 0; place < piece.now.size(); ++place)
      if (auto done = piece.counters.read_at(place, piece.now[place]); !done) return done;
  }
  return {};
}

CounterValue Measurement::value_of(const Piece& piece, std::size_t event, std::size_t place,
                                   bool of_interval) const {
  const CounterValue& now = piece.now[place][event];
  return of_interval ? now.since(piece.before[place][event]) : now;
}

Row Measurement::row_of(const Piece& piece, std::size_t event, const Part& part,
                        bool of_interval) const {
  Row row;
  row.encoding = &piece.counters.events()[event];
  row.query = piece.query_of[event];
  row.part = part.name;
  row.cgroup = piece.cgroup;
  row.problem = piece.counters.problem(event);
  for (const std::size_t place : part.places) {
    if (!piece.counters.has_counter(event, place)) continue;
    row.value += value_of(piece, event, place, of_interval);
    ++row.counters;
  }
  row.why = row.problem ? row.problem->message : piece.counters.why_not_counted(event, row.value);
  return row;
}

std::vector<Row> Measurement::rows(bool of_interval) const {
  std::vector<Row> out;
  for (const Piece& piece : pieces_) {
    const std::size_t events = piece.counters.events().size(), parts = piece.parts.size();
    for (std::size_t i = 0; i < events * parts; ++i) {
      const std::size_t event = piece.by_part ? i % events : i / parts;
      const Part& part = piece.parts[piece.by_part ? i / events : i % parts];
      Row row = row_of(piece, event, part, of_interval);
      if (row.counters != 0 || row.problem) out.push_back(std::move(row));
    }
  }
  return out;
}

std::vector<sampling::PlaceCount> Measurement::place_counts() const {
  std::vector<sampling::PlaceCount> out;
  for (const Piece& piece : pieces_)
    for (std::size_t event = 0; event < piece.counters.events().size(); ++event)
      for (std::size_t place = 0; place < piece.now.size(); ++place)
        if (piece.counters.has_counter(event, place))
          out.push_back({&piece.counters.events()[event], piece.counters.places()[place],
                         piece.now[place][event]});
  return out;
}

bool Measurement::counts_something() const {
  for (const Piece& piece : pieces_)
    for (std::size_t event = 0; event < piece.counters.events().size(); ++event)
      if (piece.counters.problem(event) == nullptr) return true;
  return false;
}

const Error* Measurement::refusal() const {
  const Error *out = nullptr, *first = nullptr;
  for (const Piece& piece : pieces_)
    for (std::size_t event = 0; event < piece.counters.events().size(); ++event) {
      const Error* const problem = piece.counters.problem(event);
      if (problem == nullptr || piece.counters.events()[event].pmu == "tool") return nullptr;
      if (out == nullptr && problem->code == Errc::io) out = problem;
      if (first == nullptr) first = problem;
    }
  return out != nullptr ? out : first;
}

/// Events with the same problem are on one line; evname measures events of "tool" itself.
void Measurement::tell_problems() const {
  std::vector<std::pair<std::string, std::string>> told;  // why, events
  for (const Piece& piece : pieces_)
    for (std::size_t event = 0; event < piece.counters.events().size(); ++event) {
      const Error* const problem = piece.counters.problem(event);
      if (problem == nullptr || piece.counters.events()[event].pmu == "tool") continue;
      const std::string name = piece.counters.events()[event].written();
      std::string why = problem->text();
      if (why.starts_with(name + ": ")) why.erase(0, name.size() + 2);
      const auto at = std::ranges::find(told, why, &std::pair<std::string, std::string>::first);
      at == told.end() ? void(told.emplace_back(why, name)) : void(at->second += ", " + name);
    }
  for (const auto& [why, events] : told) tell_note("{}: {}", events, why);
}

}  // namespace evname::tools
