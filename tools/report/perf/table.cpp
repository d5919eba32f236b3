#include "report/perf/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/text.hpp"
#include "output/standard.hpp"
#include "report/perf/lines.hpp"
#include "report/table.hpp"

namespace evname::tools {
namespace {

/// Numbers in front of units of 1,000, as perf shortens them: "12K".
std::string in_thousands(std::uint64_t number) {
  char unit = ' ';
  for (const char next : {'K', 'M', 'G'}) {
    if (number <= 1000) break;
    number /= 1000;
    unit = next;
  }
  return fmt::format("{}{}", number, unit);
}

std::uint64_t value_of(PerfNumber number, const PerfSums& sums) {
  switch (number) {
    case PerfNumber::children:
      return sums.children;
    case PerfNumber::sys:
      return sums.kernel;
    case PerfNumber::user:
      return sums.period - sums.kernel;
    case PerfNumber::samples:
      return sums.samples;
    default:
      return sums.period;
  }
}

bool is_share(PerfNumber number) {
  return number != PerfNumber::samples && number != PerfNumber::period;
}

/// As perf computes it, so that halves are rounded the same way.
double percent(std::uint64_t part, std::uint64_t all) {
  return all > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(all) : 0;
}

bool counts_up(const PerfKey& key) {
  return key.style == PerfKey::Style::thread || key.style == PerfKey::Style::cpu;
}

/// The text that puts rows of a key in order: names come before addresses, and files before none.
/// Threads and CPUs count up, other numbers down (sort__*_cmp of tools/perf/util/sort.c).
std::string order_text(const PerfKey& key, const std::vector<std::string>& values) {
  constexpr std::size_t kLevel = 4;  // "[k] "
  const SortKey first = key.keys[0];
  if (static_cast<std::size_t>(first) < sort_keys().size() &&
      sort_keys()[static_cast<std::size_t>(first)].is_number)
    return counts_up(key) ? fmt::format("{:>20}", values[0])
                          : fmt::format("{:>20}", ~parse_decimal(values[0]).value_or(0));
  const std::string text = perf_text(key, values);
  if (key.style == PerfKey::Style::file && values[0] == "-") return "\xff";
  if (key.style != PerfKey::Style::symbol) return text;
  const std::string name = text.substr(kLevel);
  return name.starts_with("0x") ? "\xff" + name : name;
}

/// Prints the table of one block.
class BlockPrinter {
 public:
  BlockPrinter(const PerfTable& table, const PerfBlock& block, std::vector<PerfLine> lines)
      : table_(table),
        block_(block),
        lines_(std::move(lines)),
        keys_(keys_of(table)),
        chains_(table.chains, table.chain_style) {
    has_children_ = std::ranges::any_of(table.columns.shown, [](const PerfColumn& column) {
      return !column.is_key && column.number == PerfNumber::children;
    });
    for (PerfLine& line : lines_) {
      line.depth = chains_.depth(line.rows);
      for (std::size_t i = 0; i < keys_.size(); ++i)
        line.order.push_back(order_text(keys_[i], line.values[i]));
    }
    measure();
  }

  void print() {
    if (table_.hierarchy) {
      if (!table_.quiet) print_hierarchy_head();
      print_level(0, range());
    } else {
      if (!table_.quiet) print_head();
      for (const std::size_t line : sorted(range(), table_.columns.order)) print_line(lines_[line]);
    }
    to_stdout("\n\n");
  }

 private:
  using Places = std::vector<std::size_t>;
  static constexpr std::size_t kIndent = 3;  ///< of a key in a hierarchy

  /// "Self" stands beside a column of children.
  std::string_view header(const PerfColumn& column) const {
    if (column.is_key) return column.key.header;
    return column.number == PerfNumber::overhead && has_children_ ? "Self"
                                                                  : header_of(column.number);
  }
  static std::size_t width_of(PerfNumber number) { return is_share(number) ? 8 : 12; }
  Places range() const {
    Places all(lines_.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  /// perf has room for an address where a file is unknown; it prints any CPU in three columns.
  std::size_t needed_width(const PerfKey& key, const std::vector<std::string>& values) const {
    constexpr std::size_t kAddress = 16;
    if (key.style == PerfKey::Style::cpu) return 0;
    const bool has_room =
        key.style == PerfKey::Style::file && values[0] == "-" && table_.separator.empty();
    return has_room ? kAddress : perf_text(key, values).size();
  }
  void measure() {
    std::size_t at = 0;
    for (const PerfColumn& column : table_.columns.shown) {
      std::size_t width = std::max(header(column).size(), column.is_key ? column.key.width : 0);
      if (!column.is_key)
        width = std::max(width, width_of(column.number) * block_.events.size());
      else
        for (const PerfLine& line : lines_)
          width = std::max(width, needed_width(column.key, line.values[at]));
      at += column.is_key;
      widths_.push_back(width);
    }
  }

  std::string number_text(PerfNumber number, const std::vector<PerfSums>& sums) const {
    const bool aligned = table_.separator.empty();
    std::string out;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const std::uint64_t value = value_of(number, sums[i]);
      if (is_share(number))
        out += fmt::format(" {:>{}.2f}%", percent(value, block_.all[i].period), aligned ? 6 : 0);
      else
        out += fmt::format(" {:>{}}", value, aligned ? width_of(number) - 1 : 0);
    }
    return out;
  }

  /// Returns the text of a key; a separator in it would split it.
  std::string key_text(const PerfKey& key, const std::vector<std::string>& values) const {
    std::string text = one_line(Screen::out, perf_text(key, values));
    for (char& c : text)
      if (!table_.separator.empty() && table_.separator.find(c) != std::string::npos) c = '.';
    return text;
  }

  static bool pads_itself(const PerfKey& key) {
    return key.style != PerfKey::Style::text && key.style != PerfKey::Style::symbol;
  }

  void print_line(const PerfLine& line) const {
    std::string out;
    std::size_t at = 0;
    for (std::size_t i = 0; i < table_.columns.shown.size(); ++i) {
      const PerfColumn& column = table_.columns.shown[i];
      if (i > 0 || table_.separator.empty())
        out += table_.separator.empty() ? "  " : table_.separator;
      const std::string text = column.is_key ? key_text(column.key, line.values[at])
                                             : number_text(column.number, line.sums);
      at += column.is_key;
      const bool is_last = i + 1 == table_.columns.shown.size();
      const bool pads = !is_last || (column.is_key && pads_itself(column.key));
      out += fmt::format("{:<{}}", text, pads ? widths_[i] : 0);
    }
    if (is_shown(line.sums)) to_stdout(out + '\n' + chains_of(line));
  }

  std::string chains_of(const PerfLine& line) const {
    return chains_.of(line.rows, block_.all[0].period,
                      table_.with_callers ? line.sums[0].children : line.sums[0].period);
  }

  bool is_shown(const std::vector<PerfSums>& sums) const {
    return percent(has_children_ ? sums[0].children : sums[0].period, block_.all[0].period) >=
           table_.least;
  }

  void print_head() const {
    std::string names = "# ", dots = "# ";
    for (std::size_t i = 0; i < table_.columns.shown.size(); ++i) {
      const PerfColumn& column = table_.columns.shown[i];
      const std::string between = table_.separator.empty() ? "  " : table_.separator;
      names += i > 0 ? between : "";
      dots += i > 0 ? between : "";
      names += column.is_key ? fmt::format("{:<{}}", header(column), widths_[i])
                             : fmt::format("{:>{}}", header(column), widths_[i]);
      dots += std::string(widths_[i], '.');
    }
    to_stdout(names + '\n');
    if (table_.separator.empty()) to_stdout(dots + "\n#\n");
  }

  /// Lines in the order of columns: negative if `a` is before `b`.
  int compare(const PerfLine& a, const PerfLine& b, const std::vector<PerfColumn>& columns) const {
    for (const PerfColumn& column : columns) {
      if (column.is_key) {
        const int order = a.order[column.place].compare(b.order[column.place]);
        if (order != 0) return order;
        continue;
      }
      for (std::size_t i = 0; i < a.sums.size(); ++i) {
        const auto left = value_of(column.number, a.sums[i]);
        const auto right = value_of(column.number, b.sums[i]);
        if (left != right) return left > right ? -1 : 1;
      }
      // A caller comes before what it called (__hpp__sort_acc of tools/perf/ui/hist.c).
      if (column.number == PerfNumber::children && a.depth != b.depth)
        return (a.depth > b.depth) == table_.chain_style.callers_first ? -1 : 1;
    }
    return 0;
  }

  Places sorted(Places places, const std::vector<PerfColumn>& columns) const {
    std::ranges::stable_sort(places, [&](std::size_t a, std::size_t b) {
      return compare(lines_[a], lines_[b], columns) < 0;
    });
    return places;
  }

  std::vector<PerfColumn> numbers() const {
    std::vector<PerfColumn> out;
    for (const PerfColumn& column : table_.columns.order)
      if (!column.is_key) out.push_back(column);
    return out;
  }

  std::size_t indent() const { return keys_.empty() ? 0 : kIndent * (keys_.size() - 1); }

  void print_hierarchy_head() const {
    std::string names = "# ", dots = "# ", words;
    if (table_.separator.empty()) {
      names += std::string(indent(), ' ');
      dots += std::string(indent(), '.');
    }
    std::size_t width = 0, depth = 0;
    const std::string between = table_.separator.empty() ? "  " : table_.separator;
    bool first = true;
    for (std::size_t i = 0; i < table_.columns.shown.size(); ++i) {
      const PerfColumn& column = table_.columns.shown[i];
      if (column.is_key) {
        words += fmt::format("{}{}", words.empty() ? "" : " / ", trim(column.key.header));
        width = std::max(width, kIndent * depth++ + widths_[i]);
        continue;
      }
      names += fmt::format("{:>{}}{}", header_of(column.number), widths_[i], between);
      dots += (std::exchange(first, false) ? "" : "..") + std::string(widths_[i], '.');
    }
    to_stdout(fmt::format("{}{}\n{}{}{}\n#\n", names, words, dots, between,
                          std::string(std::max(width, words.size()), '.')));
  }

  /// Prints the sums over the lines with the same key, each with its parts below it. Returns false
  /// if there was none.
  bool print_level(std::size_t depth, const Places& lines) {
    std::map<std::vector<std::string>, Places> parts;
    for (const std::size_t line : lines) parts[lines_[line].values[depth]].push_back(line);
    std::vector<std::pair<PerfLine, Places>> nodes;
    for (auto& [values, of] : parts) {
      PerfLine node{
          {values}, std::vector<PerfSums>(block_.events.size()), {lines_[of[0]].order[depth]}};
      for (const std::size_t line : of)
        for (std::size_t i = 0; i < node.sums.size(); ++i) node.sums[i] += lines_[line].sums[i];
      for (const std::size_t line : of)
        node.rows.insert(node.rows.end(), lines_[line].rows.begin(), lines_[line].rows.end());
      nodes.emplace_back(std::move(node), std::move(of));
    }
    std::vector<PerfColumn> order = numbers();
    order.push_back({.is_key = true, .key = keys_[depth]});
    std::ranges::stable_sort(
        nodes, [&](const auto& a, const auto& b) { return compare(a.first, b.first, order) < 0; });
    bool any = false;
    for (const auto& [node, of] : nodes) {
      if (!is_shown(node.sums)) continue;
      any = true;
      print_node(depth, node);
      if (depth + 1 == keys_.size())
        to_stdout(chains_of(node));
      else if (!print_level(depth + 1, of))
        print_nothing(depth);
    }
    return any;
  }

  void print_node(std::size_t depth, const PerfLine& node) const {
    const bool aligned = table_.separator.empty();
    std::string out(kIndent * depth, ' ');
    bool first = true;
    for (std::size_t i = 0; i < table_.columns.shown.size(); ++i) {
      const PerfColumn& column = table_.columns.shown[i];
      if (column.is_key) continue;
      if (!std::exchange(first, false) || aligned) out += aligned ? "  " : table_.separator;
      out += fmt::format("{:<{}}", number_text(column.number, node.sums), widths_[i]);
    }
    if (aligned) out += std::string(indent(), ' ');
    const PerfKey& key = keys_[depth];
    const std::string text = key_text(key, node.values[0]);
    to_stdout(fmt::format("{}{}{:<{}}\n", out, aligned ? "  " : table_.separator,
                          text.substr(std::min(text.find_first_not_of(' '), text.size())),
                          pads_itself(key) ? width_of_key(depth) : 0));
  }

  void print_nothing(std::size_t depth) const {
    std::size_t before = 2 + (table_.separator.empty() ? indent() + kIndent * (depth + 1) : 0);
    for (std::size_t i = 0; i < widths_.size(); ++i)
      before += table_.columns.shown[i].is_key ? 0 : 2 + widths_[i];
    to_stdout(fmt::format("{}no entry >= {:.2f}%\n", std::string(before, ' '), table_.least));
  }

  std::size_t width_of_key(std::size_t depth) const {
    for (std::size_t i = 0; i < widths_.size(); ++i)
      if (table_.columns.shown[i].is_key && depth-- == 0) return widths_[i];
    return 0;
  }

  const PerfTable& table_;
  const PerfBlock& block_;
  std::vector<PerfLine> lines_;
  std::vector<PerfKey> keys_;
  const ChainText chains_;
  bool has_children_ = false;
  std::vector<std::size_t> widths_;  ///< parallel to PerfTable::columns
};

void print_block_head(const PerfBlock& block, const std::vector<std::uint64_t>& known_samples) {
  std::uint64_t samples = 0, period = 0;
  for (std::size_t i = 0; i < block.events.size(); ++i) {
    samples += known_samples.empty() ? block.all[i].samples : known_samples[block.events[i]];
    period += block.all[i].period;
  }
  print_out("# Samples: {} of event{} '{}'\n# Event count (approx.): {}\n#\n",
            in_thousands(samples), block.events.size() > 1 ? "s" : "", block.name, period);
}

}  // namespace

bool PerfTable::shows(const std::string& symbol, const std::string& file) const {
  const auto has = [](const std::vector<std::string>& list, std::string_view item) {
    return list.empty() || std::ranges::find(list, item) != list.end();
  };
  return has(symbols, symbol) && symbol.find(symbol_part) != symbol.npos &&
         (has(files, file) || has(files, last_part(file)));
}

std::vector<SortKey> PerfTable::keys() const {
  std::vector<SortKey> out{SortKey::event};
  const auto add = [&](SortKey key) {
    if (std::ranges::find(out, key) == out.end()) out.push_back(key);
  };
  if (chooses_rows()) add(SortKey::sym);
  if (chooses_rows()) add(SortKey::dso);
  for (const PerfColumn& column : columns.shown) {
    for (const SortKey key : column.key.keys) add(key);
    if (!column.is_key && (column.number == PerfNumber::sys || column.number == PerfNumber::user))
      for (const SortKey key : {SortKey::dso, SortKey::sym}) add(key);
  }
  return out;
}

void print_perf_table(const Report& report, const PerfTable& table) {
  std::vector<PerfBlock> blocks = blocks_of(report, table);
  auto lines = lines_of(report, table, blocks);
  std::uint64_t lost = 0;
  for (const Report::Event& event : report.events()) lost += event.lost;
  if (!table.quiet) print_out("#\n# Total Lost Samples: {}\n#\n", lost);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (!table.quiet) print_block_head(blocks[i], table.samples);
    BlockPrinter(table, blocks[i], std::move(lines[i])).print();
  }
  if (!table.quiet)
    to_stdout("#\n# (Tip: evname report --html FILE draws flame graphs and a timeline)\n#\n");
}

}  // namespace evname::tools
