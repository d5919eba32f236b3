#pragma once
// The counters of `evname stat`, and their current values.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evname/counters.hpp"
#include "sampling/count_writer.hpp"
#include "stat/options.hpp"

namespace evname::tools {

/// Events of one argument.
struct Query {
  std::string text;
  std::vector<Encoding> encodings;
};

/// A number that perf prints next to a count, computed from counts.
struct Figure {
  std::string_view unit;        ///< "GHz"; may be empty
  std::string_view name;        ///< of perf's metric: "cycles_frequency"
  std::optional<double> value;  ///< nullopt: a needed event is not counted
};

/// One event of one part: a row of output.
struct Row {
  const Encoding* encoding = nullptr;
  std::size_t query = 0;  ///< index of its query
  std::string_view part;  ///< Part::name
  std::string_view cgroup;
  const Error* problem = nullptr;  ///< why it is not counted; nullptr: it is
  CounterValue value;              ///< `scaled` in units of the event, not of the row
  std::size_t counters = 0;        ///< number of counters added up
  double noise = -1;  ///< of the mean of several runs, in %; 0 without a count; -1: one run only
  std::string why;    ///< reason for a missing value
  std::optional<Figure> figure;  ///< of perf's default events

  bool is_counted() const { return problem == nullptr && value.is_counted(); }
  /// In Encoding::unit.
  double amount() const { return value.scaled * encoding->scale; }
};

/// Open counters of all queries.
class Measurement {
 public:
  /// `child` is the command's process; -1: none. Errors: the target does not exist, or no event can
  /// be counted in it.
  static Result<Measurement> open(const Machine& machine, const StatOptions& options,
                                  std::span<const Query> queries, int child);

  Result<void> start() const;
  Result<void> stop() const;
  /// Reads all counters.
  Result<void> sample();
  /// The counts at the last sample: since the previous one, or since the start.
  std::vector<Row> rows(bool of_interval) const;
  /// The counts of each event in each place at the last sample, since the start.
  std::vector<sampling::PlaceCount> place_counts() const;
  /// Returns true if an event counts at some place.
  bool counts_something() const;
  /// Returns why no event can be counted, at first for lack of permission; nullptr: one can.
  const Error* refusal() const;
  /// Reports on stderr why events are not counted.
  void tell_problems() const;

 private:
  /// The events of one cgroup or of all queries.
  struct Piece {
    Counters counters;
    std::string cgroup;
    std::vector<std::size_t> query_of;  ///< event
    std::vector<Part> parts;
    bool by_part;                                        ///< the rows of a part are adjacent
    std::vector<std::vector<CounterValue>> before, now;  ///< place, event
  };
  static Result<Piece> open_piece(const Machine& machine, const StatOptions& options,
                                  std::span<const Query> queries, const CountTarget& target);
  static Result<Measurement> open_each(const Machine& machine, const StatOptions& options,
                                       std::span<const Query> queries, const CountTarget& target);
  CounterValue value_of(const Piece& piece, std::size_t event, std::size_t place,
                        bool of_interval) const;
  Row row_of(const Piece& piece, std::size_t event, const Part& part, bool of_interval) const;

  std::vector<Piece> pieces_;
};

}  // namespace evname::tools
