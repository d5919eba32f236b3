#include "report/instructions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/read_file.hpp"
#include "base/text.hpp"
#include "output/standard.hpp"
#include "report/shown_code.hpp"
#include "report/source_files.hpp"
#include "report/table.hpp"
#include "screen/screen.hpp"

namespace evname::tools {
namespace {

using FunctionCode = InstructionReport::Code;
using Function = InstructionReport::Function;
using Instruction = InstructionReport::Instruction;

/// Returns the events of the report that have samples.
std::vector<std::size_t> events_with_samples(const Report& report) {
  std::vector<std::size_t> events;
  for (std::size_t i = 0; i < report.events().size(); ++i)
    if (report.events()[i].samples > 0) events.push_back(i);
  return events;
}

/// The texts of lines of sources, each file read once.
class SourceTexts {
 public:
  /// Returns the text of a line without spaces around it; "" if it can't be read.
  std::string_view line(const Frame& frame) {
    if (!is_source(frame.source)) return {};
    const auto [at, is_new] = files_.try_emplace(std::string(frame.source));
    if (is_new) read(at->first, at->second);
    const std::size_t index = std::size_t{frame.line} - 1;
    return index < at->second.size() ? at->second[index] : std::string_view();
  }

 private:
  void read(const std::string& path, std::vector<std::string>& lines) {
    if (room_ == 0) return;
    // An unreadable file has no text.
    (void)read_lines(path, std::min(room_, kLargestSource), [&](std::string_view line) {
      line = trim(line.substr(0, kLongestSourceLine));
      const std::size_t size = std::min(room_, line.size() + sizeof(std::string));
      room_ -= size;
      if (room_ > 0) lines.emplace_back(line);
    });
  }

  std::size_t room_ = std::size_t{100} << 20;  ///< for texts, in bytes
  std::map<std::string, std::vector<std::string>> files_;
};

/// Prints the functions as text, one after the other.
class TextPrinter {
 public:
  TextPrinter(const InstructionReport& report, const InstructionsView& view)
      : report_(report), view_(view), events_(events_with_samples(report)) {}

  void print(const Function& function) {
    code_ = report_.code(function, view_.syntax);
    print_head(function);
    choose();
    find_labels();
    address_width_ = 0;
    if (!code_.instructions.empty())
      address_width_ = fmt::formatted_size("{:x}", code_.instructions.back().address);
    print_columns();
    last_place_.clear();
    std::size_t folded = 0;
    for (std::size_t i = 0; i < code_.instructions.size(); ++i) {
      if (!chosen_[i]) {
        ++folded;
        continue;
      }
      print_folded(std::exchange(folded, 0));
      print_source(code_.instructions[i]);
      print_instruction(function, code_.instructions[i]);
    }
    print_folded(folded);
    print_outside(function);
    is_first_ = false;
  }

 private:
  static constexpr std::size_t kLongestInlined = 120;  // in bytes; data formats have all
  static constexpr std::size_t kCountWidth = 8, kShareWidth = 7, kLabelWidth = 5, kIpcWidth = 5;
  static constexpr std::size_t kBranchesWidth = 2 * kCountWidth + kShareWidth + kIpcWidth + 4;

  void print_head(const Function& function) {
    std::string line = fmt::format("{}  {}", function.name, function.dso);
    if (!function.build_id.empty()) line += ", build id " + function.build_id;
    line += ": ";
    std::string_view separator;
    for (const std::size_t event : events_) {
      if (function.samples[event] == 0) continue;
      const Report::Event& of = report_.events()[event];
      line += fmt::format("{}{} of {} ({:.2f}%)", std::exchange(separator, ", "),
                          counted(function.samples[event], "sample", "samples"), of.name,
                          100 * ratio(function.samples[event], of.samples));
    }
    to_stdout(is_first_ ? "" : "\n");
    print_out("{}\n", line);
    if (!code_.problem.empty()) print_out("{}\n", code_.problem);
    has_branches_ = std::ranges::any_of(code_.instructions, [](const Instruction& one) {
      return one.executed > 0 || one.branched > 0;
    });
    if (has_branches_) print_out("{}\n", coverage_text());
  }
  std::string coverage_text() const {
    const auto executed = static_cast<std::uint64_t>(std::ranges::count_if(
        code_.instructions, [](const Instruction& one) { return one.executed > 0; }));
    std::string text = fmt::format("branch stacks have run {:.1f}% of the instructions",
                                   100 * ratio(executed, code_.instructions.size()));
    if (code_.timed_cycles > 0)
      text += fmt::format(", with {:.2f} instructions per cycle",
                          code_.timed_instructions / code_.timed_cycles);
    return text;
  }

  /// Names the events above their columns, which may be narrower than the names.
  void print_columns() {
    std::string names, columns;
    for (const std::size_t event : events_) {
      const std::size_t width = kCountWidth + kShareWidth + 1;
      std::string name = report_.events()[event].name;
      if (name.size() > width) name.resize(width - 1);
      names += fmt::format("{:>{}} ", name, width);
      columns += fmt::format("{:>{}} {:>{}} ", "samples", kCountWidth, "share", kShareWidth);
    }
    if (has_branches_)
      columns += fmt::format("{:>{}} {:>{}} {:>{}} {:>{}} ", "executed", kCountWidth, "mispred.",
                             kCountWidth, "cycles", kShareWidth, "IPC", kIpcWidth);
    print_out("{}\n", names.substr(0, names.size() - 1));
    print_out("{}{:>{}} {:>{}} instruction\n", columns, "", kLabelWidth, "address",
              address_width());
  }
  std::size_t address_width() const { return std::max<std::size_t>(address_width_, 7); }

  void choose() {
    chosen_ = view_.whole ? std::vector<bool>(code_.instructions.size(), true)
                          : shown_instructions(code_);
  }

  /// Gives the targets of shown jumps their labels, in the order of addresses.
  void find_labels() {
    labels_.clear();
    for (std::size_t i = 0; i < code_.instructions.size(); ++i) {
      const Instruction& one = code_.instructions[i];
      if (chosen_[i] && jumps_within(code_, one)) labels_[*one.target] = 0;
    }
    std::size_t number = 0;
    for (auto& [address, label] : labels_) label = ++number;
  }

  void print_folded(std::size_t count) {
    if (count == 0) return;
    print_out("{:>{}}... {}\n", "", text_column(), counted(count, "instruction", "instructions"));
  }
  std::size_t text_column() const {
    return events_.size() * (kCountWidth + kShareWidth + 2) + kLabelWidth + 1 +
           (has_branches_ ? kBranchesWidth : 0);
  }

  /// Prints the line of the source, unless the instruction before has the same.
  void print_source(const Instruction& one) {
    if (one.frames.empty() || one.frames[0].source.empty()) return;
    const Frame& frame = one.frames[0];
    const std::string inlined = inlined_text(one);
    std::string place = fmt::format("{}:{}", frame.source, frame.line);
    if (std::exchange(last_place_, place + inlined) == place + inlined) return;
    std::string line =
        fmt::format("{:>{}}{}:{}", "", text_column(), last_part(frame.source), frame.line);
    const std::string_view text = sources_.line(frame);
    if (!text.empty()) line += fmt::format("  {}", text);
    if (!inlined.empty()) line += fmt::format("  [{}]", shortened(inlined, kLongestInlined));
    print_out("{}\n", line);
  }

  void print_instruction(const Function& function, const Instruction& one) {
    std::string line = counts_text(function, one.samples);
    if (has_branches_) line += branches_text(one);
    const auto label = labels_.find(one.address);
    line += fmt::format(
        "{:>{}} {:>{}x} {}", label == labels_.end() ? "" : fmt::format("L{}:", label->second),
        kLabelWidth, one.address, address_width(), one.text.empty() ? "(unknown)" : one.text);
    if (const auto to = one.target ? labels_.find(*one.target) : labels_.end();
        one.is_jump && to != labels_.end())
      line += fmt::format(" {} L{}", *one.target > one.address ? "↓" : "↑", to->second);
    if (!one.symbol.empty()) line += fmt::format(" <{}>", one.symbol);
    if (one.is_patched) line += "  (patched)";
    print_out("{}\n", line);
  }

  std::string counts_text(const Function& function, std::span<const std::uint64_t> samples) const {
    std::string text;
    for (const std::size_t event : events_)
      text +=
          samples[event] == 0
              ? fmt::format("{:>{}} ", "", kCountWidth + kShareWidth + 1)
              : fmt::format("{:>{}} {:>{}.2f}% ", samples[event], kCountWidth,
                            100 * ratio(samples[event], function.samples[event]), kShareWidth - 1);
    return text;
  }

  /// Returns how often the instruction ran, and what is known of the branches that begin there.
  static std::string branches_text(const Instruction& one) {
    const Report::Branches& sums = one.branches;
    const std::uint64_t judged = sums.predicted + sums.mispredicted;
    const auto cell = [](bool is_known, const std::string& text, std::size_t width) {
      return fmt::format("{:>{}} ", is_known ? text : "", width);
    };
    return cell(one.executed > 0, fmt::format("{}", one.executed), kCountWidth) +
           cell(judged > 0, fmt::format("{:.2f}%", 100 * ratio(sums.mispredicted, judged)),
                kCountWidth) +
           cell(sums.timed > 0, fmt::format("{:.1f}", ratio(sums.cycles, sums.timed)),
                kShareWidth) +
           cell(one.ipc > 0, fmt::format("{:.2f}", one.ipc), kIpcWidth);
  }

  void print_outside(const Function& function) {
    if (!has_samples(code_.outside)) return;
    print_out("{}{:>{}} outside of these instructions\n", counts_text(function, code_.outside), "",
              kLabelWidth + (has_branches_ ? kBranchesWidth : 0));
  }

  const InstructionReport& report_;
  const InstructionsView& view_;
  std::vector<std::size_t> events_;
  bool is_first_ = true;
  FunctionCode code_;                            ///< of the function at hand, as what follows
  std::vector<bool> chosen_;                     ///< by instruction: it is shown
  std::map<std::uint64_t, std::size_t> labels_;  ///< numbers by address
  std::size_t address_width_ = 0;
  bool has_branches_ = false;  ///< branch stacks have run some of it
  std::string last_place_;
  SourceTexts sources_;
};

/// An instruction of a function, or its samples outside of all.
struct DataRow {
  const Function* function;
  const Instruction* instruction;  ///< nullptr: outside
  const std::vector<std::uint64_t>* samples;
};

/// Prints functions as CSV or JSON, one after the other.
class DataPrinter {
 public:
  DataPrinter(const InstructionReport& report, const InstructionsView& view)
      : report_(report), view_(view) {
    add_keys();
    for (const std::size_t event : events_with_samples(report))
      add_column(report.events()[event].name + "_samples", CellKind::count, false,
                 [event](const DataRow& row) { return Cell::of((*row.samples)[event]); });
    if (report.has_branches()) add_branches();
  }

  DataPrinter(const DataPrinter&) = delete;  // the columns refer to the object
  DataPrinter& operator=(const DataPrinter&) = delete;

  void print_head() const {
    if (view_.format == InstructionsView::Format::csv) print_csv_head(table_, view_.guard_formulas);
  }
  void print(const Function& function) {
    const FunctionCode code = report_.code(function, view_.syntax);
    rows_.clear();
    for (const Instruction& one : code.instructions)
      rows_.push_back({&function, &one, &one.samples});
    if (has_samples(code.outside)) rows_.push_back({&function, nullptr, &code.outside});
    table_.blocks.assign(rows_.size(), 0);
    const TableView all = *view_of(table_, "", SIZE_MAX);
    if (view_.format == InstructionsView::Format::csv)
      print_csv_rows(table_, all, view_.guard_formulas);
    else
      print_json(table_, all);
  }

 private:
  template <class Of>
  void add_column(std::string name, CellKind kind, bool is_key, Of&& of) {
    table_.columns.push_back({std::move(name), kind,
                              [this, of](Rows rows) { return of(rows_[rows[0]]); }, false, is_key});
  }
  template <class Of>
  void add_text(std::string name, Of&& of) {
    add_column(std::move(name), CellKind::text, true, [of](const DataRow& row) {
      std::string text = of(row);
      return text.empty() ? Cell() : Cell::of(std::move(text));
    });
  }
  /// Adds a text of the instruction.
  template <class Of>
  void add_part(std::string name, Of&& of) {
    add_text(std::move(name), [of](const DataRow& row) {
      return row.instruction ? std::string(of(*row.instruction)) : std::string();
    });
  }

  /// Adds a number of the instruction, which is not known without its divisor.
  template <class Of>
  void add_real(std::string name, Of&& of) {
    add_column(std::move(name), CellKind::real, false, [of](const DataRow& row) {
      const double value = row.instruction ? of(*row.instruction) : -1;
      return value < 0 ? Cell() : Cell::of(value);
    });
  }
  void add_branches() {
    const auto add_count = [&](std::string name, auto of) {
      add_column(std::move(name), CellKind::count, false, [of](const DataRow& row) {
        return row.instruction ? Cell::of(of(*row.instruction)) : Cell();
      });
    };
    add_count("executed", [](const Instruction& one) { return one.executed; });
    add_count("branches", [](const Instruction& one) { return one.branched; });
    add_count("mispredicted", [](const Instruction& one) { return one.branches.mispredicted; });
    add_real("mispredicted_share", [](const Instruction& one) {
      const std::uint64_t judged = one.branches.predicted + one.branches.mispredicted;
      return judged > 0 ? ratio(one.branches.mispredicted, judged) : -1;
    });
    add_real("cycles", [](const Instruction& one) {
      return one.branches.timed > 0 ? ratio(one.branches.cycles, one.branches.timed) : -1;
    });
    add_real("ipc", [](const Instruction& one) { return one.ipc > 0 ? one.ipc : -1; });
  }

  void add_keys() {
    add_text("function", [](const DataRow& row) { return row.function->name; });
    add_text("dso", [](const DataRow& row) { return row.function->dso; });
    add_text("build_id", [](const DataRow& row) { return row.function->build_id; });
    add_part("address", [](const Instruction& one) { return fmt::format("{:#x}", one.address); });
    add_part("bytes", [](const Instruction& one) { return hex_text(one.bytes); });
    add_part("text", [](const Instruction& one) { return one.text; });
    add_part("target", [](const Instruction& one) {
      return one.target ? fmt::format("{:#x}", *one.target) : std::string();
    });
    add_part("symbol", [](const Instruction& one) { return one.symbol; });
    add_part("source", [](const Instruction& one) {
      return one.frames.empty() ? std::string_view() : one.frames[0].source;
    });
    add_column("line", CellKind::id, true, [](const DataRow& row) {
      if (!row.instruction || row.instruction->frames.empty() ||
          row.instruction->frames[0].source.empty())
        return Cell();
      return Cell::of(fmt::format("{}", row.instruction->frames[0].line));
    });
    add_part("inlined", [](const Instruction& one) { return inlined_text(one); });
  }

  const InstructionReport& report_;
  const InstructionsView& view_;
  std::vector<DataRow> rows_;  ///< of the function at hand
  Table table_;
};

}  // namespace

void print_instructions(const InstructionReport& report, const InstructionsView& view) {
  const std::vector<Function> functions = report.functions();
  const auto shown = std::span(functions).first(std::min(view.top, functions.size()));
  if (view.format == InstructionsView::Format::text) {
    for (const std::string& line : view.above) print_out("{}\n", line);
    if (!view.above.empty() && !shown.empty()) to_stdout("\n");
    TextPrinter printer(report, view);
    for (const Function& function : shown) printer.print(function);
  } else {
    DataPrinter printer(report, view);
    printer.print_head();
    for (const Function& function : shown) printer.print(function);
  }
  if (shown.size() < functions.size())
    tell_note("{} (--top)", counted(functions.size() - shown.size(), "function is left out",
                                    "functions are left out"));
}

}  // namespace evname::tools
