// Writes branches with the files and functions of their ends, and the code between them. Source:
// perf_sample__fprintf_brstack and the functions after it of tools/perf/builtin-script.c.

#include <algorithm>
#include <optional>

#include <elf.h>
#include <fmt/format.h>

#include "evname/decoded.hpp"
#include "recordings/annotation/fields.hpp"
#include "recordings/instructions/branches.hpp"
#include "recordings/instructions/known_length.hpp"

namespace evname::annotation {
namespace {

constexpr std::string_view kUnknown = "[unknown]";

/// Returns true if a sample in a guest, whose files are not known.
bool is_in_guest(const Sample& sample) {
  const std::uint32_t mode = sample.misc() & perf_format::kCpuMode;
  return mode != perf_format::kCpuModeKernel && mode != perf_format::kCpuModeUser;
}

/// Writes the text of a branch's end that write() makes once for each address in the same mappings.
template <class Write>
void write_once(const Sample& sample, std::uint64_t end, std::uint32_t number,
                FieldContext& context, Output& out, Write&& write) {
  const session::ProcessMaps& maps = detail::maps_of(sample);
  if (maps.has_jit_compilers()) return write();  // which replace code
  const std::uint32_t mode = sample.misc() & perf_format::kCpuMode;
  out.text(context.end_texts.of(
      {end, maps.generation(false), maps.generation(true), number | mode << 8}, [&] {
        const std::size_t start = out.size();
        write();
        std::string text(out.since(start));
        out.truncate(start);
        return text;
      }));
}

/// Writes the branches; write_end(end, number) writes an end.
template <class WriteEnd>
void write_branches(const Sample& sample, FieldContext& context, Output& out,
                    WriteEnd&& write_end) {
  const SampleWords words = sample.branches();
  for (std::size_t i = 0; i + 2 < words.size(); i += 3) {
    write_end(words[i], true);
    out.put('/');
    write_end(words[i + 1], false);
    out.text(context.branch_texts.of(words[i + 2], context.arch));
  }
}

/// Returns the name of a file, without looking at its symbols.
std::string_view name_of_file(const Sample& sample, Address address,
                              locations::LocationCache& locations) {
  auto& range = locations.range(sample, address);
  if (!range.dso) return kUnknown;
  const auto* const inner = locations.inner_file(sample, range);
  return inner ? inner->name : range.dso->shown_name();
}

/// Writes the file of an end, if the event has dso.
void write_file_of_end(const Sample& sample, Address end, FieldContext& context, Output& out) {
  constexpr std::uint32_t kFiles = 1U << 16;
  const LocationFields& fields = location_fields_of(sample, context);
  if (!fields.file) return;
  if (is_in_guest(sample)) return out.text(" ([unknown])");
  if (!fields.file_offset && !context.style.file_paths) {
    out.text(" (");
    const std::size_t start = out.size();
    out.text(name_of_file(sample, end, *context.locations));
    if (context.printable) out.make_printable(start);
    return out.put(')');
  }
  write_once(sample, end.value, kFiles | fields.number(), context, out,
             [&] { write_file(sample, end, context, out); });
}

void write_address(std::uint64_t value, bool is_first, Output& out) {
  out.text(is_first ? " 0x" : "0x");
  out.hex(value);
}

}  // namespace

void write_branches_in_files(const Sample& sample, FieldContext& context, Output& out) {
  write_branches(sample, context, out, [&](std::uint64_t value, bool is_first) {
    write_address(value, is_first, out);
    write_file_of_end(sample, context.locations->branch_address(sample, value), context, out);
  });
}

namespace {

/// Writes "main+0x10 (/bin/app)".
void write_function_of_end(const Sample& sample, std::uint64_t value, FieldContext& context,
                           Output& out) {
  const bool has_file = location_fields_of(sample, context).file;
  if (is_in_guest(sample)) {
    out.text(kUnknown);
    return out.text(has_file ? " ([unknown])" : "");
  }
  const Address end = context.locations->branch_address(sample, value);
  const Frame& frame = context.locations->at(sample, end).frames.back();
  const std::size_t start = out.size();
  write_function(frame, true, out);
  if (context.printable) out.make_printable(start);
  if (has_file) write_file(sample, end, context, out);
}

}  // namespace

void write_branches_by_function(const Sample& sample, FieldContext& context, Output& out) {
  constexpr std::uint32_t kFunctions = 2U << 16;
  const std::uint32_t number = kFunctions | location_fields_of(sample, context).number();
  write_branches(sample, context, out, [&](std::uint64_t value, bool) {
    write_once(sample, value, number, context, out,
               [&] { write_function_of_end(sample, value, context, out); });
  });
}

namespace {

/// Returns the offset of an address in its file, or from the start of the kernel's code.
std::uint64_t offset_of(const Sample& sample, Address address, locations::LocationCache& places) {
  const auto& range = places.range(sample, address);
  return range.dso && range.dso->kernel ? address.value - range.start
                                        : range.offset_of(address.value);
}

}  // namespace

// perf prints the address instead of the offset once it has read the file's symbols.
void write_branches_by_offset(const Sample& sample, FieldContext& context, Output& out) {
  write_branches(sample, context, out, [&](std::uint64_t value, bool is_first) {
    const Address end = context.locations->branch_address(sample, value);
    write_address(is_in_guest(sample) ? value : offset_of(sample, end, *context.locations),
                  is_first, out);
    write_file_of_end(sample, end, context, out);
  });
}

namespace {

/// Returns the address of code, whose mode perf takes from the address.
Address code_address(std::uint64_t value) { return {value, value >> 63 != 0}; }

void write_bytes(std::span<const std::uint8_t> bytes, Output& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0) out.put(' ');
    out.put(kDigits[bytes[i] >> 4]);
    out.put(kDigits[bytes[i] & 15]);
  }
}

/// Writes the function at an address and the offset in it. Returns false if none is known.
bool write_function_at(const Sample& sample, std::uint64_t value, FieldContext& context,
                       Output& out) {
  const Frame& frame = context.locations->at(sample, code_address(value)).frames.back();
  if (frame.function.empty()) return false;
  write_function(frame, true, out);
  return true;
}

// print_insn_x86 of tools/perf/util/capstone.c: a direct jump has its target as a function.
void write_decoded(const Sample& sample, const instructions::Decoded& decoded, bool has_address,
                   FieldContext& context, Output& out) {
  const std::size_t space = decoded.text.rfind(' ');
  const std::size_t start = out.size();
  if (decoded.target && space != decoded.text.npos) {
    out.text(std::string_view(decoded.text).substr(0, space + 1));
    if (write_function_at(sample, *decoded.target, context, out)) {
      if (has_address) out.format(" [{:#x}]", *decoded.target);
      return;
    }
    out.truncate(start);
  }
  out.text(decoded.text);
  std::string_view rest = decoded.text;
  while (instructions::is_x86_prefix(rest.substr(0, rest.find(' '))) && rest.find(' ') != rest.npos)
    rest.remove_prefix(rest.find(' ') + 1);
  if (rest.find(' ') == rest.npos) out.put(' ');  // there are no operands
}

/// Reads the sample's own instruction; its bytes end where it does.
CodeBytes own_instruction(const Sample& sample, FieldContext& context) {
  const std::uint64_t ip = sample.ip().value_or(0);
  if (ip == 0) return {};
  CodeBytes code =
      context.code.read(sample, code_address(ip), CodeTexts::kLongest, *context.locations);
  const std::size_t size = context.code.length(code, ip);
  if (size > 0) code.bytes = code.bytes.first(std::min(size, code.bytes.size()));
  return code;
}

}  // namespace

void write_instruction_length(const Sample& sample, FieldContext& context, Output& out) {
  out.text(" ilen: ");
  out.decimal(own_instruction(sample, context).bytes.size());
}

void write_instruction_bytes(const Sample& sample, FieldContext& context, Output& out) {
  const CodeBytes code = own_instruction(sample, context);
  if (code.bytes.empty()) return;
  out.text(" insn: ");
  write_bytes(code.bytes, out);
}

void write_instruction_text(const Sample& sample, FieldContext& context, Output& out) {
  const CodeBytes code = own_instruction(sample, context);
  if (code.bytes.empty()) return;
  out.text("\t\t");
  const auto decoded = context.code.decode(code, sample.ip().value_or(0));
  if (!decoded) return write_bytes(code.bytes, out);
  write_decoded(sample, *decoded, false, context, out);
}

namespace {

/// Writes the blocks of code between the branches of a sample: perf_sample__fprintf_brstackinsn.
class BranchCode {
 public:
  BranchCode(const Sample& sample, FieldContext& context, Output& out)
      : sample_(sample),
        context_(context),
        out_(out),
        fields_(context.block_fields[sample.event().attr]),
        words_(sample.branches()) {
    count_ = words_.size() / 3;
    const std::uint64_t most = context.style.most_blocks;
    if (most > 0 && count_ > most + 1) count_ = most + 1;
  }

  void write() {
    if (count_ == 0) return;
    out_.put('\n');
    const Branch oldest = branch(count_ - 1);
    if (grab(oldest.from, oldest.from) == Grab::code) {
      write_symbol(oldest.from);
      write_jump(oldest.from, count_ - 1, code_, 0);
    }
    for (std::size_t i = count_ - 1; i-- > 0;) write_block(i);
    const Branch newest = branch(0);
    if (newest.from != ip() && !newest.abort) write_rest(newest.to);
  }

 private:
  static constexpr std::uint64_t kMostBytes = 16384 - CodeTexts::kLongest;

  enum class Grab : std::uint8_t { code, none, crosses };

  Branch branch(std::size_t i) const {
    return Branch(words_[3 * i], words_[3 * i + 1], words_[3 * i + 2]);
  }
  std::uint64_t ip() const { return sample_.ip().value_or(0); }

  /// Reads the code of a block, with its last instruction.
  Grab grab(std::uint64_t start, std::uint64_t end) {
    if (start == 0 || end == 0) return Grab::none;
    if (code_address(start).kernel != code_address(end).kernel) return Grab::crosses;
    if (end - start > kMostBytes) return Grab::none;
    code_ = context_.code.read(sample_, code_address(start), end - start + CodeTexts::kLongest,
                               *context_.locations);
    return code_.bytes.empty() ? Grab::none : Grab::code;
  }

  CodeBytes at(std::size_t offset) const {
    return {code_.kind, code_.bytes.subspan(std::min(offset, code_.bytes.size()))};
  }

  void write_block(std::size_t& i) {
    const std::uint64_t start = branch(i + 1).to;
    std::uint64_t end = branch(i).from;
    Grab found = grab(start, end);
    if (found == Grab::crosses && i > 0) {  // an entry of the kernel was filtered
      end = branch(--i).from;
      found = grab(start, end);
    }
    if (found != Grab::code) return;
    std::size_t offset = 0, size = 0;
    for (int number = 1; offset < code_.bytes.size(); offset += size, ++number) {
      write_symbol(start + offset);
      if (start + offset == end) {
        write_jump(end, i, at(offset), number);
        break;
      }
      size = write_instruction(start + offset, at(offset));
      if (size == 0) break;
    }
    if (offset != end - start) out_.text("\tmismatch of LBR data and executable\n");
  }

  /// Writes the code after the newest branch, up to the sample.
  void write_rest(std::uint64_t start) {
    constexpr std::uint64_t kScanned = 128;  // bytes, if a jump is missing
    const std::uint64_t end = ip() < start ? start + kScanned : ip();
    const Grab found = grab(start, end);
    write_symbol(start);
    if (found != Grab::code) {
      if (grab(ip(), ip()) == Grab::code) write_instruction(ip(), code_);
      return;
    }
    for (std::size_t offset = 0, size = 0; offset <= end - start; offset += size) {
      const CodeBytes code = at(offset);
      size = write_instruction(start + offset, code);
      if (size == 0) break;
      if (leaves(code, start + offset) && start + offset != ip()) {
        out_.text("\t... not reaching sample ...\n");
        break;
      }
    }
  }

  /// Returns true if an instruction always leads elsewhere, and such branches are recorded.
  bool leaves(const CodeBytes& code, std::uint64_t address) {
    const std::uint64_t type = detail::record_of(sample_).event->attr.branch_sample_type;
    if (type != 0 && (type & perf_format::kBranchAny) == 0) return false;
    if (code.kind.machine == EM_X86_64 || code.kind.machine == EM_386)
      return instructions::x86_diverts(code.bytes);
    const auto decoded = context_.code.decode(code, address);
    return decoded && (decoded->is_call || decoded->is_jump);
  }

  /// Writes the name of the function at an address, if it is another one than before.
  void write_symbol(std::uint64_t value) {
    const Address address = code_address(value);
    const Locations::Named& location = context_.locations->at(sample_, address);
    const std::uint64_t offset = location.offset;
    if (location.dso.data() == last_dso_ && offset >= last_start_ && offset < last_end_) return;
    const Frame& frame = location.frames.back();
    if (frame.function.empty()) return;
    last_dso_ = location.dso.data();
    const symbols::FunctionPlace place = context_.locations->function_place(sample_, address);
    last_start_ = offset - frame.offset;
    last_end_ = last_start_ + std::max<std::uint64_t>(place.end - place.start, 1);
    out_.put('\t');
    out_.text(frame.function);
    if (frame.offset != 0) {
      out_.put('+');
      out_.decimal(frame.offset);
    }
    out_.put(':');
    if (fields_.line) {
      out_.put('\t');
      write_source(sample_, address, context_, out_);
    }
    out_.put('\n');
  }

  /// Writes the bytes or the text of an instruction. Returns its size; 0: it is none.
  std::size_t write_code(std::uint64_t address, const CodeBytes& code) {
    if (fields_.text)
      if (const auto decoded = context_.code.decode(code, address)) {
        write_decoded(sample_, *decoded, true, context_, out_);
        return decoded->size;
      }
    const std::size_t size = context_.code.length(code, address);
    if (size == 0) {
      out_.text("<bad>");
      return 0;
    }
    out_.text("insn: ");
    write_bytes(code.bytes.first(size), out_);
    out_.put(' ');
    return size;
  }

  void begin_line(std::uint64_t address) {
    out_.put('\t');
    out_.hex_zeros(address, 16);
    out_.put('\t');
  }

  std::size_t write_instruction(std::uint64_t address, const CodeBytes& code) {
    begin_line(address);
    const std::size_t size = write_code(address, code);
    if (fields_.length) out_.format("\tilen: {}", size);
    out_.put('\n');
    return size;
  }

  /// `number` counts the instructions of the block; 0: they are unknown.
  void write_jump(std::uint64_t address, std::size_t i, const CodeBytes& code, int number) {
    constexpr std::size_t kWidth = 30;
    const Branch one = branch(i);
    begin_line(address);
    const std::size_t start = out_.size();
    const std::size_t size = write_code(address, code);
    const std::size_t width = out_.size() - start;
    if (width < kWidth) out_.right("", kWidth - width);
    out_.put('\t');
    if (fields_.length) out_.format("ilen: {}\t", size);
    if (fields_.line) {
      out_.text(" srcline: ");
      write_source(sample_, code_address(address), context_, out_);
      out_.put('\t');
    }
    if (fields_.counters) {
      out_.text("\t# br_cntr: ");
      write_counts_of_branch(sample_, i, context_.branch_counters, out_);
      out_.put(' ');
    } else {
      out_.put('#');
    }
    out_.text(one.predicted ? " PRED" : "");
    out_.text(one.mispredicted ? " MISPRED" : "");
    out_.text(one.in_transaction ? " INTX" : "");
    out_.text(one.abort ? " ABORT" : "");
    if (one.cycles > 0) {
      cycles_ += one.cycles;
      out_.format(" {} cycles [{}]", one.cycles, cycles_);
      if (number > 0)
        out_.format(" {:.2f} IPC", static_cast<float>(number) / static_cast<float>(one.cycles));
    }
    out_.put('\n');
  }

  const Sample& sample_;
  FieldContext& context_;
  Output& out_;
  const BlockFields& fields_;
  SampleWords words_;
  std::size_t count_;
  CodeBytes code_;
  const char* last_dso_ = nullptr;
  std::uint64_t last_start_ = 0, last_end_ = 0;  ///< of the last function
  std::uint64_t cycles_ = 0;
};

}  // namespace

void write_branch_code(const Sample& sample, FieldContext& context, Output& out) {
  BranchCode(sample, context, out).write();
}

}  // namespace evname::annotation
