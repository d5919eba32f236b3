// Decodes the functions of an InstructionReport.

#include <algorithm>
#include <array>
#include <memory>
#include <span>

#include <fmt/format.h>

#include "base/text.hpp"
#include "evname/instructions.hpp"
#include "recordings/instructions/address_pairs.hpp"
#include "recordings/instructions/decoder.hpp"
#include "recordings/report/instruction_collector.hpp"
#include "recordings/report/report_state.hpp"
#include "recordings/symbols/symbol_file.hpp"

namespace evname {
namespace report {
namespace {

using Count = InstructionCollector::Count;
using Instruction = InstructionReport::Instruction;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 19;
constexpr std::size_t kMostInstructions = std::size_t{1} << 17;
constexpr std::size_t kMostCounts = std::size_t{1} << 24;  // of instructions by event
/// Read behind the last sample of a function whose size is unknown.
constexpr std::uint64_t kBehind = 64;

/// Decodes a piece of code, whose parts may be of two kinds: Arm's and Thumb.
class PieceDecoder {
 public:
  PieceDecoder(const elf::CodePiece& piece, bool att) : piece_(piece), att_(att) {}

  bool is_known() { return decoder(piece_.kind.thumb) != nullptr; }

  /// Passes the instructions to `take`, with their bytes, until it returns false.
  template <class Take>
  void decode(Take&& take) {
    const Bytes all(piece_.bytes);
    for (std::size_t at = 0; at < all.size();) {
      const elf::CodeMark mark = mark_at(at);
      const Bytes rest =
          all.subspan(at).first(std::min<std::uint64_t>(all.size() - at, next_mark(at)));
      elf::CodeKind kind = piece_.kind;
      kind.thumb = mark.thumb;
      instructions::Decoder* const of = mark.is_data ? nullptr : decoder(mark.thumb);
      const instructions::Decoded one =
          of ? of->decode(rest, piece_.address + at) : instructions::data_at(kind, rest);
      if (!take(at, rest.first(one.size), one)) return;
      at += one.size;
    }
  }

 private:
  instructions::Decoder* decoder(bool thumb) {
    auto& of = decoders_[thumb ? 1 : 0];
    elf::CodeKind kind = piece_.kind;
    kind.thumb = thumb;
    if (!of) of = instructions::Decoder::of(kind, att_);
    return of.get();
  }
  std::vector<elf::CodeMark>::const_iterator mark_after(std::size_t at) const {
    return std::ranges::upper_bound(piece_.marks, piece_.address + at, {}, &elf::CodeMark::address);
  }
  elf::CodeMark mark_at(std::size_t at) const {
    const auto after = mark_after(at);
    return after == piece_.marks.begin() ? elf::CodeMark{0, false, piece_.kind.thumb} : after[-1];
  }
  /// Returns how many bytes there are up to the next mark.
  std::uint64_t next_mark(std::size_t at) const {
    const auto after = mark_after(at);
    return after == piece_.marks.end() ? UINT64_MAX : after->address - piece_.address - at;
  }

  const elf::CodePiece& piece_;
  bool att_;
  std::array<std::unique_ptr<instructions::Decoder>, 2> decoders_;
};

/// Makes the instructions of one function.
class CodeMaker {
 public:
  CodeMaker(const InstructionCollector::Function& function, std::vector<Count> counts,
            std::size_t events, bool att)
      : function_(function),
        counts_(std::move(counts)),
        events_(events),
        att_(att),
        size_(function.place.end - function.place.start) {
    out_.outside.resize(events);
  }

  InstructionReport::Code make() {
    if (!function_.place.file) {
      out_.problem = "no symbol of a file has these addresses, so that their code is not known";
    } else if (read()) {
      add_decoded();
    }
    if (out_.instructions.empty()) add_sampled();
    add_samples();
    return std::move(out_);
  }

 private:
  /// Returns false, and says why, if the bytes can't be decoded.
  bool read() {
    const symbols::FunctionPlace& place = function_.place;
    const std::uint64_t last = counts_.empty() ? 0 : std::min(counts_.back().offset, kMostBytes);
    const std::uint64_t size = size_ > 0 ? size_ : last + kBehind;
    piece_ = place.file->code(place, std::min(size, kMostBytes));
    out_.start = piece_.address;
    if (piece_.bytes.empty())
      out_.problem = place.file->is_made_at_run_time()
                         ? "the code was made at run time, and its bytes are not known"
                         : "no file with the bytes of this code was found";
    else if (size > kMostBytes)
      tell_limit(kMostBytes);
    else if (piece_.bytes.size() < size_)
      out_.problem = fmt::format("the file has {} of the {} bytes of this function",
                                 piece_.bytes.size(), size_);
    return !piece_.bytes.empty();
  }

  void tell_limit(std::uint64_t shown) {
    const std::string all = size_ > 0 ? fmt::format("{}", size_) : "an unknown number of";
    out_.problem =
        fmt::format("the function has {} bytes; only the first {} are decoded", all, shown);
  }

  void add_decoded() {
    PieceDecoder decoder(piece_, att_);
    if (!decoder.is_known()) {
      out_.problem = fmt::format("this build can't decode code of {}",
                                 instructions::machine_name(piece_.kind));
      return;
    }
    std::size_t patched = 0;
    decoder.decode([&](std::size_t at, Bytes bytes, const instructions::Decoded& one) {
      if (out_.instructions.size() == most()) {
        tell_limit(at);
        return false;
      }
      Instruction& added = add(at);
      added.bytes.assign(bytes.begin(), bytes.end());
      added.text = one.text;
      added.is_jump = one.is_jump;
      added.is_call = one.is_call;
      added.is_patched = is_patched(at, bytes);
      if (added.is_patched) ++patched;
      if (piece_.is_linked) add_addresses(one, added);
      return true;
    });
    if (piece_.is_linked) add_paired_addresses();
    if (patched > 0 && out_.problem.empty())
      out_.problem = fmt::format("the running kernel has patched {}",
                                 counted(patched, "instruction", "instructions"));
  }
  bool is_patched(std::size_t at, Bytes bytes) const {
    const Bytes file(piece_.unpatched);
    return at < file.size() &&
           !std::ranges::equal(bytes, file.subspan(at, std::min(bytes.size(), file.size() - at)));
  }
  std::size_t most() const {
    return std::min(kMostInstructions, kMostCounts / std::max<std::size_t>(events_, 1) + 1);
  }
  void add_addresses(const instructions::Decoded& one, Instruction& added) {
    symbols::SymbolFile& file = *function_.place.file;
    added.target = one.target;
    if (one.target && (one.is_call || !is_inside(*one.target)))
      added.symbol = file.symbol_text(*one.target);
    else if (one.data)
      added.symbol = file.symbol_text(*one.data);
  }
  /// Adds the symbols of addresses that two instructions make together. At the target of a jump,
  /// nobody knows what is in the registers.
  void add_paired_addresses() {
    std::vector<std::uint64_t> targets;
    for (const Instruction& one : out_.instructions)
      if (one.target && is_inside(*one.target)) targets.push_back(*one.target);
    std::ranges::sort(targets);
    instructions::AddressPairs pairs(piece_.kind.machine);
    for (Instruction& one : out_.instructions) {
      if (std::ranges::binary_search(targets, one.address)) pairs.forget();
      const auto address = pairs.add(one.text, one.address);
      if (address && one.symbol.empty()) one.symbol = function_.place.file->symbol_text(*address);
    }
  }
  bool is_inside(std::uint64_t address) const { return address - out_.start < piece_.bytes.size(); }

  /// Adds the addresses of samples, if nothing else is known.
  void add_sampled() {
    for (const Count& count : counts_)
      if (out_.instructions.empty() ||
          (out_.instructions.back().address != out_.start + count.offset &&
           out_.instructions.size() < most()))
        add(count.offset);
  }

  Instruction& add(std::uint64_t offset) {
    Instruction& added = out_.instructions.emplace_back();
    added.address = out_.start + offset;
    added.samples.resize(events_);
    if (function_.place.file)
      function_.place.file->frames_in(function_.place, function_.name, offset, added.frames);
    return added;
  }

  /// A sample inside of an instruction, as a wrong start of the code has them, counts there.
  void add_samples() {
    for (const Count& count : counts_) {
      const auto index = out_.find(out_.start + count.offset);
      auto& samples = index ? out_.instructions[*index].samples : out_.outside;
      samples[count.event] += count.samples;
    }
  }

  const InstructionCollector::Function& function_;
  std::vector<Count> counts_;
  std::size_t events_;
  bool att_;
  std::uint64_t size_;  ///< 0: unknown
  elf::CodePiece piece_;
  InstructionReport::Code out_;
};

}  // namespace
}  // namespace report

std::optional<std::size_t> InstructionReport::Code::find(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(instructions, address, {}, &Instruction::address);
  if (after == instructions.begin()) return {};
  const Instruction& one = after[-1];
  if (address - one.address >= std::max<std::size_t>(one.bytes.size(), 1)) return {};
  return static_cast<std::size_t>(after - instructions.begin()) - 1;
}

InstructionReport::InstructionReport(ReportOptions options) : Report(std::move(options)) {
  state_->details.instructions = true;
}

bool InstructionReport::decodes() { return !instructions::decoder_name().empty(); }

std::vector<InstructionReport::Function> InstructionReport::functions() const {
  std::vector<Function> out;
  std::size_t number = 0;
  for (const report::InstructionCollector::Function& from : state_->instructions.functions()) {
    Function& to =
        out.emplace_back(Function{number++, from.name, from.dso, from.build_id, 0, from.samples});
    to.samples.resize(state_->events.size());
    for (const std::uint64_t samples : to.samples) to.all += samples;
  }
  std::erase_if(out, [](const Function& function) { return function.all == 0; });
  std::ranges::sort(out, [](const Function& a, const Function& b) {
    return std::tie(b.all, a.name, a.dso, a.number) < std::tie(a.all, b.name, b.dso, b.number);
  });
  return out;
}

InstructionReport::Code InstructionReport::code(const Function& function, Syntax syntax) const {
  const auto& functions = state_->instructions.functions();
  if (function.number >= functions.size()) return {};
  const auto number = static_cast<std::uint32_t>(function.number);
  Code code = report::CodeMaker(functions[number], state_->instructions.counts(number),
                                state_->events.size(), syntax == Syntax::att)
                  .make();
  state_->instructions.blocks().add_to(number, code);
  return code;
}

bool InstructionReport::has_branches() const { return !state_->instructions.blocks().empty(); }

}  // namespace evname
