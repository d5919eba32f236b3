// Callers from a copy of the stack.
//
//     registers of the sample          copy of the stack
//     IP  0x401136 --------+           +----------------------+ <- SP
//     SP  0x7ffd0000       |           | locals of leaf()     |
//                          v           | return address       |--+
//     mapping of the address           +----------------------+  |  <- CFA of leaf()
//            |                         | locals of caller()   |  |
//            v                         | return address       |--|--+
//     frame rules of its file:         +----------------------+  |  |
//     CFA = SP + 24, IP at CFA - 8     | ...                  |  |  |
//                                      +----------------------+  |  |
//     addresses: IP of leaf(), <---------------------------------+  |
//                the call in caller(), <----------------------------+
//                ... until a rule, a register or a part of the stack is missing
//
// FrameRule answers the usual rules of x86-64 without libdw, which reads the others. Code that was
// made at run time has its rules in the JIT compiler's dump.

#include "recordings/unwinding/unwinder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <list>
#include <unordered_map>
#include <utility>

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <unistd.h>

#include "recordings/elf/elf_image.hpp"
#include "recordings/symbols/code_history.hpp"
#include "recordings/symbols/mapping_kinds.hpp"
#include "recordings/unwinding/frame_rules.hpp"

namespace evname::unwinding {
// Not anonymous, since Unwinder::State has members of these types.
inline namespace dwfl_unwinding {

/// The numbers of an architecture's registers: PERF_REG_* of its asm/perf_regs.h, and DWARF.
struct Architecture {
  std::string_view name;
  unsigned stack_pointer, instruction_pointer;  ///< PERF_REG_*
  std::span<const std::int8_t> dwarf;           ///< by PERF_REG_*; -1: none
  std::uint16_t machine = EM_NONE;              ///< of ELF files, if its words have 64 bits
  bool keeps_rules = false;                     ///< see FrameRule
};

constexpr std::int8_t kX86[] = {0,  3,  2,  1,  4, 5, 6,  7,  16, -1, -1, -1,
                                -1, -1, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15};
constexpr auto kSame = [] {
  std::array<std::int8_t, 32> same{};
  for (std::size_t i = 0; i < same.size(); ++i) same[i] = static_cast<std::int8_t>(i);
  return same;
}();
constexpr auto kRiscv = [] {
  auto same = kSame;
  same[0] = -1;  // the program counter
  return same;
}();

constexpr Architecture kArchitectures[] = {
    {"x86_64", 7, 8, kX86, EM_X86_64, true},
    {"aarch64", 31, 32, kSame, EM_AARCH64},
    {"arm", 13, 15, std::span(kSame).first(16)},
    {"ppc64", 1, 32, kSame, EM_PPC64},
    {"ppc64le", 1, 32, kSame, EM_PPC64},
    {"riscv64", 2, 0, kRiscv, EM_RISCV},
    {"s390x", 15, 33, std::span(kSame).first(16), EM_S390},
};

const Architecture* architecture_of(const StackCopy& copy) {
  const auto* at = std::find_if(
      std::begin(kArchitectures), std::end(kArchitectures), [&](const Architecture& one) {
        return one.name == copy.arch || (one.name == "arm" && copy.arch.starts_with("armv"));
      });
  const bool is_known = at != std::end(kArchitectures) && (!copy.is_32_bit || at->name == "arm");
  return is_known ? at : nullptr;
}

std::optional<std::uint64_t> register_of(const StackCopy& copy, unsigned number) {
  if (number >= 64 || (copy.mask >> number & 1) == 0) return std::nullopt;
  const auto index =
      static_cast<std::size_t>(std::popcount(copy.mask & ((std::uint64_t{1} << number) - 1)));
  return index < copy.registers.size() ? std::optional(copy.registers[index]) : std::nullopt;
}

/// A module, which libdwfl keeps with its data.
struct Module {
  std::string file = {};   ///< as the mapping has it; empty for code that was made at run time
  std::uint64_t code = 0;  ///< of such code: see KnownCode::number()
  std::uint64_t bias = 0;  ///< of the file's addresses
  std::unique_ptr<elf::ElfImage> image = {};  ///< of the file
  std::string frame_table = {};               ///< see ElfSymbols::frame_table_path()
  bool has_frame_table = !frame_table.empty();
  std::uint64_t origin = 0;               ///< see symbols::InnerFile
  std::vector<std::uint8_t> memory = {};  ///< of the code
};

const Module* contents_of(Dwfl_Module* module) {
  void** kept = nullptr;
  dwfl_module_info(module, &kept, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
  return static_cast<const Module*>(*kept);
}

/// Code has no file, so libdwfl asks for it.
int find_code(Dwfl_Module*, void** kept, const char*, Dwarf_Addr, char**, Elf** elf) {
  auto* const module = static_cast<Module*>(*kept);
  if (module && !module->memory.empty())
    *elf = elf_memory(reinterpret_cast<char*>(module->memory.data()), module->memory.size());
  return -1;
}

/// Returns a file that has nothing but the .debug_frame of another one; nullptr if that has none.
std::unique_ptr<elf::ElfImage> frame_table(const std::string& path, elf::Budget& budget) {
  const auto image = elf::ElfImage::open(path, budget);
  if (!image || !image->sections_fit(path, budget)) return nullptr;
  const elf::MadeSection frames{".debug_frame", image->unpacked(".debug_frame")};
  const auto file = frames.content.empty()
                        ? std::vector<std::uint8_t>()
                        : elf::make_elf(image->header(), image->segments(), std::span(&frames, 1));
  return file.empty() ? nullptr : elf::ElfImage::of_memory(file.data(), file.size(), path, budget);
}

/// Called for a file without debug information. libdwfl would unpack all sections of a separate
/// debug file, so it gets only the needed ones, and only on the first call; the second asks for a
/// file that the first refers to.
int find_frames(Dwfl_Module*, void** kept, const char*, Dwarf_Addr, const char*, const char*,
                GElf_Word, char**) {
  auto* const module = static_cast<Module*>(*kept);
  if (!module || module->frame_table.empty()) return -1;
  elf::Budget budget;
  const auto table = frame_table(std::exchange(module->frame_table, {}), budget);
  return table ? ::fcntl(table->descriptor(), F_DUPFD_CLOEXEC, 0) : -1;
}

constexpr Dwfl_Callbacks kModuleCallbacks = {.find_elf = find_code,
                                             .find_debuginfo = find_frames,
                                             .section_address = dwfl_offline_section_address,
                                             .debuginfo_path = nullptr};

/// The first `count` registers of a copy by their numbers in DWARF.
struct InitialRegisters {
  std::array<Dwarf_Word, 64> values{};
  unsigned count = 0;
};

/// One stack that is followed.
struct Walk {
  const Symbols& symbols;
  const StackCopy& copy;
  const Architecture& architecture;
  const Unwinder::FindMapping& find;
  std::size_t most;
  std::vector<std::uint64_t>& addresses;
  std::optional<std::uint64_t> stack_start = register_of(copy, architecture.stack_pointer);
  std::uint64_t known_start = 0, known_end = 0;  ///< addresses with a true Process::report()

  std::optional<std::uint64_t> start() const {
    return register_of(copy, architecture.instruction_pointer);
  }

  InitialRegisters registers() const {
    InitialRegisters out;
    for (unsigned i = 0; i < architecture.dwarf.size(); ++i) {
      const int number = architecture.dwarf[i];
      const auto value = register_of(copy, i);
      if (number < 0 || !value) continue;
      out.values[static_cast<std::size_t>(number)] = *value;
      out.count = std::max(out.count, static_cast<unsigned>(number) + 1);
    }
    return out;
  }

  /// Returns a word of the stack.
  std::optional<std::uint64_t> word_at(std::uint64_t address) const {
    std::uint64_t word = 0;
    if (!stack_start || address < *stack_start || copy.stack.size() < sizeof word ||
        address - *stack_start > copy.stack.size() - sizeof word)
      return std::nullopt;
    std::memcpy(&word, copy.stack.data() + (address - *stack_start), sizeof word);
    return word;
  }
};

/// The files of one process.
class Process {
 public:
  Process(std::int32_t pid, std::uint64_t generation, elf::Budget& budget)
      : pid_(pid),
        generation_(generation),
        budget_(budget),
        modules_(dwfl_begin(&kModuleCallbacks), dwfl_end) {}

  std::int32_t pid() const { return pid_; }
  /// Returns true if the mappings have changed and replaced something known.
  bool is_stale(std::uint64_t generation) const {
    return is_replaced_ && generation != generation_;
  }

  void unwind(const Symbols& symbols, const StackCopy& copy, const Architecture& architecture,
              const Unwinder::FindMapping& find, std::size_t most,
              std::vector<std::uint64_t>& addresses) {
    Walk walk{symbols, copy, architecture, find, most, addresses};
    const auto start = walk.start();
    if (!modules_ || !start || !report(walk, *start)) return;
    walk_ = &walk;
    if (!attached_)
      attached_ = dwfl_attach_state(modules_.get(), nullptr, pid_, &kThreadCallbacks, this);
    if (attached_ && !(architecture.keeps_rules && follow_rules(walk, *start)))
      dwfl_getthread_frames(modules_.get(), copy.tid, take_frame, this);
    walk_ = nullptr;
  }

  std::optional<bool> returns_by_link(const Symbols& symbols, const StackCopy& copy,
                                      const Architecture& architecture,
                                      const Unwinder::FindMapping& find, std::uint64_t address) {
    std::vector<std::uint64_t> none;
    Walk walk{symbols, copy, architecture, find, 0, none};
    std::optional<bool> known;
    if (!modules_ || !report(walk, address)) return known;
    Dwfl_Module* const module = dwfl_addrmodule(modules_.get(), address);
    for (const auto tables : {dwfl_module_eh_cfi, dwfl_module_dwarf_cfi}) {
      Dwarf_Addr bias = 0;
      Dwarf_CFI* const cfi = tables(module, &bias);
      if (const auto here = cfi ? keeps_return_address(cfi, address - bias) : std::nullopt)
        known = known.value_or(false) || *here;
    }
    return known;
  }

 private:
  static Process& of(void* argument) { return *static_cast<Process*>(argument); }

  /// Returns true if libdwfl knows the file or the code at an address.
  bool report(Walk& walk, std::uint64_t address) {
    if (address >= walk.known_start && address < walk.known_end) return true;
    const auto mapping = walk.find(address);
    if (!mapping) return false;
    return symbols::is_of_run_time(*mapping) ? report_code(walk, *mapping, address)
                                             : report_file(walk, *mapping, address);
  }

  bool report_file(Walk& walk, Mapping mapping, std::uint64_t address) {
    Dwfl_Module* const there = dwfl_addrmodule(modules_.get(), address);
    const Module* const known = there ? contents_of(there) : nullptr;
    const auto is_it = [&](Mapping inner) {
      inner.offset -= known->origin;
      return known->image->bias(inner, address) == known->bias;
    };
    if (known && known->image && known->file == mapping.file && is_it(mapping))
      return know(walk, there, mapping.start, mapping.end);
    walk.known_end = 0;  // a file that is reported may lie over another one
    const auto* const inner = detail::SymbolsAccess::inner_file(walk.symbols, mapping);
    const std::uint64_t origin = inner ? inner->origin : 0;
    const auto [tried, is_new] =
        tried_.try_emplace(mapping.start - mapping.offset + origin, mapping.file);
    if (!is_new) {  // it is not there, or ends before the address, or something else was there
      is_replaced_ |= there || tried->second != mapping.file;
      return false;
    }
    const std::string path = walk.symbols.file_path(mapping);
    if (path.empty()) return false;
    std::string frame_table = detail::SymbolsAccess::frame_table_path(walk.symbols, mapping);
    mapping.offset -= origin;
    // libdwfl would unpack any file, and what it has in sections.
    auto image = elf::ElfImage::open(path, budget_);
    if (!image || !image->sections_fit(path, budget_)) return false;
    const std::string name(mapping.file);
    const std::uint64_t bias = image->bias(mapping, address);
    const int file = ::fcntl(image->descriptor(), F_DUPFD_CLOEXEC, 0);
    Dwfl_Module* const made = dwfl_report_elf(modules_.get(), name.c_str(), path.c_str(), file,
                                              bias + image->first_address(), false);
    if (!made && file >= 0) ::close(file);
    return keep(made,
                {.file = name,
                 .bias = bias,
                 .image = std::move(image),
                 .frame_table = std::move(frame_table),
                 .origin = origin},
                address);
  }

  /// Reports code with a table in a dump.
  bool report_code(Walk& walk, const Mapping& mapping, std::uint64_t address) {
    const symbols::KnownCode all = detail::SymbolsAccess::code_of(walk.symbols, mapping);
    const auto* const code =
        all.history ? all.history->find(address, symbols::CodeTime(mapping)) : nullptr;
    if (!code || walk.architecture.machine == EM_NONE) return false;
    const symbols::CodeHistory::Unwinding unwinding = all.history->unwinding(*code);
    if (unwinding.table.empty()) return false;
    const std::uint64_t number = all.first_number + all.history->number(*code);
    Dwfl_Module* const there = dwfl_addrmodule(modules_.get(), address);
    const Module* const known = there ? contents_of(there) : nullptr;
    if (known && known->code == number) return know(walk, there, code->start, code->end);
    walk.known_end = 0;
    if (there) {
      is_replaced_ = true;
      return false;
    }
    const std::string name = "code " + std::to_string(number);
    return keep(
        dwfl_report_module(modules_.get(), name.c_str(), code->start, code->end),
        {.code = number, .memory = code_image(walk.architecture.machine, code->start, unwinding)},
        address);
  }

  static bool know(Walk& walk, Dwfl_Module* module, std::uint64_t start, std::uint64_t end) {
    Dwarf_Addr first = 0, last = 0;
    dwfl_module_info(module, nullptr, &first, &last, nullptr, nullptr, nullptr, nullptr);
    walk.known_start = std::max(start, first);
    walk.known_end = std::min(end, last);
    return true;
  }

  /// Keeps the kind of a new module. Returns false if it does not contain the address.
  bool keep(Dwfl_Module* made, Module contents, std::uint64_t address) {
    rules_.clear();
    if (made) {
      void** kept = nullptr;
      dwfl_module_info(made, &kept, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
      *kept = contents_.emplace_back(std::make_unique<Module>(std::move(contents))).get();
    }
    Dwfl_Module* const there = dwfl_addrmodule(modules_.get(), address);
    is_replaced_ |= there && there != made;
    return made && there == made;
  }

  static bool covers(Dwarf_CFI* cfi, Dwarf_Addr address) {
    Dwarf_Frame* frame = nullptr;
    const bool found = cfi && dwarf_cfi_addrframe(cfi, address, &frame) == 0;
    std::free(frame);
    return found;
  }

  static bool has_frame_table(Dwfl_Module* module) {
    const Module* const contents = contents_of(module);
    return contents && contents->has_frame_table;
  }

  /// Returns nullptr if no rule is kept.
  const FrameRule* rule_at(std::uint64_t address) {
    if (rules_.size() == kMostRules) rules_.clear();
    const auto [at, is_new] = rules_.try_emplace(address);
    if (is_new) {
      Dwfl_Module* const module = dwfl_addrmodule(modules_.get(), address);
      Dwarf_Addr bias = 0;
      Dwarf_CFI* cfi = module ? dwfl_module_eh_cfi(module, &bias) : nullptr;
      // The C library's start-up code has .eh_frame even if the program has none.
      if (module && !covers(cfi, address - bias) && has_frame_table(module))
        cfi = dwfl_module_dwarf_cfi(module, &bias);
      if (cfi) at->second = FrameRule::read(cfi, address - bias);
    }
    return at->second ? &*at->second : nullptr;
  }

  /// Does the same as dwfl_getthread_frames() with take_frame(). Returns false, and changes
  /// nothing, if no rule is kept for a frame.
  bool follow_rules(Walk& walk, std::uint64_t address) {
    const std::size_t known = walk.addresses.size(), most = walk.most;
    Registers registers;
    const InitialRegisters initial = walk.registers();
    for (unsigned i = 0; i < initial.count; ++i) registers.set(i, initial.values[i]);
    for (bool is_call = false;; is_call = true) {
      report(walk, address);
      const std::uint64_t at = address - (is_call ? 1 : 0);
      const FrameRule* rule = rule_at(at);
      if (!rule) {
        walk.addresses.resize(known);
        walk.most = most;
        return false;
      }
      registers = rule->caller(registers, [&](std::uint64_t place) { return walk.word_at(place); });
      address = registers.values[Registers::kReturn];
      if (!report(walk, at) && walk.find(at)) return true;
      if (at != 0) walk.addresses.push_back(at);
      if (--walk.most == 0 || !registers.has(Registers::kReturn) || address == 0) return true;
    }
  }

  static pid_t next_thread(Dwfl*, void* argument, void** thread) {
    if (*thread) return 0;
    *thread = argument;
    return of(argument).walk_->copy.tid;
  }
  static bool get_thread(Dwfl*, pid_t, void* argument, void** thread) {
    *thread = argument;
    return true;
  }

  static bool read_memory(Dwfl*, Dwarf_Addr address, Dwarf_Word* result, void* argument) {
    const auto word = of(argument).walk_->word_at(address);
    if (word) *result = *word;
    return word.has_value();
  }

  static bool set_registers(Dwfl_Thread* thread, void* argument) {
    const Walk& walk = *of(argument).walk_;
    const InitialRegisters initial = walk.registers();
    if (const auto at = walk.start()) dwfl_thread_state_register_pc(thread, *at);
    return dwfl_thread_state_registers(thread, 0, initial.count, initial.values.data());
  }

  // Reports the file of an address before libdwfl needs it. A call is before its return address.
  static int take_frame(Dwfl_Frame* frame, void* argument) {
    Process& process = of(argument);
    Walk& walk = *process.walk_;
    Dwarf_Addr at = 0;
    bool is_activation = false;
    if (!dwfl_frame_pc(frame, &at, nullptr)) return DWARF_CB_ABORT;
    process.report(walk, at);
    if (!dwfl_frame_pc(frame, &at, &is_activation)) return DWARF_CB_ABORT;
    if (!is_activation) --at;
    if (!process.report(walk, at) && walk.find(at)) return DWARF_CB_ABORT;
    if (at != 0) walk.addresses.push_back(at);
    return --walk.most > 0 ? DWARF_CB_OK : DWARF_CB_ABORT;
  }

  static constexpr Dwfl_Thread_Callbacks kThreadCallbacks = {.next_thread = next_thread,
                                                             .get_thread = get_thread,
                                                             .memory_read = read_memory,
                                                             .set_initial_registers = set_registers,
                                                             .detach = nullptr,
                                                             .thread_detach = nullptr};

  std::int32_t pid_;
  std::uint64_t generation_;
  elf::Budget& budget_;
  std::vector<std::unique_ptr<Module>> contents_;  ///< of modules_, which it outlives
  std::unique_ptr<Dwfl, void (*)(Dwfl*)> modules_;
  bool attached_ = false;
  Walk* walk_ = nullptr;
  bool is_replaced_ = false;
  std::unordered_map<std::uint64_t, std::string> tried_;  ///< files, by where they begin
  static constexpr std::size_t kMostRules = std::size_t{1} << 14;
  std::unordered_map<std::uint64_t, std::optional<FrameRule>> rules_;  ///< by address
};

}  // namespace dwfl_unwinding

struct Unwinder::State {
  static constexpr std::size_t kMostProcesses = 16;

  Process& process(const StackCopy& copy) {
    auto at = std::find_if(processes.begin(), processes.end(),
                           [&](const Process& one) { return one.pid() == copy.pid; });
    if (at != processes.end() && at->is_stale(copy.generation)) {
      processes.erase(at);
      at = processes.end();
    }
    if (at != processes.end()) {
      processes.splice(processes.begin(), processes, at);
    } else {
      if (processes.size() == kMostProcesses) processes.pop_back();
      processes.emplace_front(copy.pid, copy.generation, budget);
    }
    return processes.front();
  }

  /// Asks a process; again if a current mapping has replaced an earlier one.
  template <class Ask>
  void ask(const StackCopy& copy, Ask&& ask_of) {
    for (int time = 0; time < 2; ++time) {
      Process& one = process(copy);
      ask_of(one);
      if (!one.is_stale(copy.generation)) return;
    }
  }

  const Symbols& symbols;
  elf::Budget budget{};               ///< Symbols reports what does not fit its own
  std::list<Process> processes = {};  ///< latest first
};

Unwinder::Unwinder(const Symbols& symbols) : state_(new State{symbols}) {}
Unwinder::~Unwinder() = default;

void Unwinder::unwind(const StackCopy& copy, const FindMapping& find, std::size_t most,
                      std::vector<std::uint64_t>& addresses) {
  const Architecture* architecture = architecture_of(copy);
  if (!architecture || most == 0) return;
  const std::size_t before = addresses.size();
  state_->ask(copy, [&](Process& process) {
    addresses.resize(before);
    process.unwind(state_->symbols, copy, *architecture, find, most, addresses);
  });
}

std::optional<bool> Unwinder::returns_by_link(const StackCopy& copy, const FindMapping& find,
                                              std::uint64_t address) {
  const Architecture* architecture = architecture_of(copy);
  std::optional<bool> is_in_link;
  if (!architecture) return is_in_link;
  state_->ask(copy, [&](Process& process) {
    is_in_link = process.returns_by_link(state_->symbols, copy, *architecture, find, address);
  });
  return is_in_link;
}

}  // namespace evname::unwinding
