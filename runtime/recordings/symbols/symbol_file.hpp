#pragma once
// Reads the symbols of one mapped file.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/lazy.hpp"
#include "evname/symbols.hpp"
#include "perf_format/symbol_lists.hpp"
#include "recordings/elf/symbol_table.hpp"
#include "recordings/symbols/code_history.hpp"
#include "recordings/symbols/elf_search.hpp"
#include "recordings/symbols/function_place.hpp"
#include "recordings/symbols/inner_files.hpp"
#include "recordings/symbols/mapping_kinds.hpp"
#include "recordings/symbols/packed_names.hpp"

namespace evname::symbols {

/// The symbols of one file.
class SymbolFile {
 public:
  /// Where names come from and go to, beside files.
  struct Names {
    const PackedFile* packed = nullptr;             ///< the recording's own; nullptr: none
    const perf_format::SymbolList* list = nullptr;  ///< likewise: symbols that simpleperf recorded
    std::string identity = {};                      ///< of the file, if names are collected
    const std::atomic<bool>& collects;              ///< see collect()
  };

  /// `shown`: of a file inside another one. Offsets of mappings count from its origin.
  /// `code_numbers` counts all code of histories.
  SymbolFile(elf::SymbolSearch search, InnerFile shown, Names names,
             std::atomic<std::uint64_t>& code_numbers)
      : search_(std::move(search)),
        names_from_(std::move(names)),
        code_numbers_(code_numbers),
        shown_(std::move(shown)) {}

  /// Reads the symbols. This must come before all other calls.
  void load_once(const Mapping& mapping) {
    loaded_.run([&] { load(mapping); });
  }
  /// Returns true if there is no file. Then the answers for all files like this are the same.
  bool knows_nothing() const {
    return !names_from_.packed && !table_ && !elf_ && !outer_ && !history_ && shown_.name.empty();
  }
  /// Returns true if the symbols of mappings are by address, not by offset in the file.
  bool by_address() const { return by_address_; }
  bool is_function() const { return search_.kind == elf::FileKind::function; }
  /// Returns true for code that a JIT compiler made in a process.
  bool is_made_at_run_time() const { return by_address_ && search_.kind == elf::FileKind::user; }
  const std::string& identity() const { return names_from_.identity; }

  Frame function(std::uint64_t address, const Mapping& mapping);
  void frames(std::uint64_t address, const Mapping& mapping, bool lines,
              std::vector<Frame>& frames);
  std::string path(const Mapping& mapping);
  std::string frame_table_path(const Mapping& mapping);
  bool has_symbols() const { return table_ != nullptr || names_from_.packed; }
  /// Returns the file inside this one that a mapping is of; nullptr if there is none. It lives as
  /// long as the object.
  const OuterFile::Place* inner(const Mapping& mapping);
  /// Returns nullptr if only names of the file are known.
  std::shared_ptr<const Descriptor> extract(const OuterFile::Place& place) const {
    return outer_ ? outer_->extract(place) : nullptr;
  }
  /// Returns how a file that is inside another one is shown; nullptr if it is none.
  const InnerFile* as_inner() const { return shown_.name.empty() ? nullptr : &shown_; }
  KnownCode code(const Mapping& mapping);
  /// Returns the function in a dump; nullopt for an address where the dump never has code, so that
  /// the map, which has no times, is used.
  std::optional<Frame> made_function(std::uint64_t address, const Mapping& mapping, bool lines);

  /// Returns the function at an address, without the file; its end is 0 if none is known.
  FunctionPlace extent(std::uint64_t address, const Mapping& mapping);
  /// Returns up to `size` bytes of the code of a function of this file; none if they are not known.
  elf::CodePiece code(const FunctionPlace& function, std::uint64_t size);
  /// Does the same at any address of a mapping.
  elf::CodePiece code_at(std::uint64_t address, const Mapping& mapping, std::uint64_t size);
  /// Does the same as frames() for an offset in a function of this file.
  void frames_in(const FunctionPlace& function, std::string_view name, std::uint64_t offset,
                 std::vector<Frame>& frames);
  /// Returns the symbol at an address of the file itself, "table+0x10", or of a slot of its GOT,
  /// "malloc@got"; empty if there is none.
  std::string symbol_text(std::uint64_t address);

  /// Adds what frames() and made_function() were asked for so far, and their answers.
  void collect(CollectedFile& out);

 private:
  void load(const Mapping& mapping);
  void load_files(const Mapping& mapping);
  void load_packed(const PackedFile& packed);
  void load_list(const perf_format::SymbolList& list, const Mapping& mapping);
  void add_symbols(const perf_format::SymbolList& list, std::uint64_t shift);
  void find_files(const Mapping& mapping);
  void load_elf();
  void load_function(const Mapping& mapping);
  void load_kernel();
  void find_core();
  void load_run_time(const Mapping& mapping);
  void load_jitdump(std::string_view jitdump, std::span<const std::uint32_t> owners);
  void keep_history(CodeHistory history);
  void load_perf_maps(std::span<const std::uint32_t> owners);
  bool load_perf_map(const std::string& root, std::int32_t pid,
                     std::span<const std::uint32_t> owners);
  void check_clock(const Mapping& mapping);
  std::string_view name_of(const elf::Symbol& symbol);
  std::uint64_t place_of(std::uint64_t address, const Mapping& mapping) const;
  elf::CodePiece made_code(const FunctionPlace& function, std::uint64_t size);
  void use_core(std::uint64_t size, elf::CodePiece& piece) const;
  const elf::Symbol* find_symbol(std::uint64_t place, const Mapping& mapping, bool is_outside);
  Frame named(std::uint64_t place, const Mapping& mapping, bool is_outside);
  void find_frames(std::uint64_t address, const Mapping& mapping, bool lines,
                   std::vector<Frame>& frames);
  bool packed_frames(std::uint64_t place, bool lines, std::vector<Frame>& frames) const;

  elf::SymbolSearch search_;
  Names names_from_;
  Once loaded_, found_;           ///< names; files, if the names are the recording's own
  std::string dump_;              ///< path of the jitdump
  std::string core_;              ///< path of the kernel's memory; empty: another kernel runs
  std::uint64_t core_moved_ = 0;  ///< how far its addresses are from the table's
  std::map<std::uint64_t, std::vector<Frame>> collected_;  ///< of mutex_, by place
  std::set<std::uint64_t> made_;                           ///< likewise: addresses of a jitdump
  std::vector<CodeLine> lines_;                            ///< of a function that the kernel made
  elf::SymbolTable own_;                                   ///< of kallsyms and JIT compilers' maps
  std::optional<CodeHistory> history_;
  std::atomic<std::uint64_t>& code_numbers_;
  std::uint64_t first_code_number_ = 0;
  std::atomic<bool> knows_no_time_ = false;  ///< and that was reported
  const elf::SymbolTable* table_ = nullptr;
  std::unique_ptr<ElfSymbols> elf_;
  std::unique_ptr<OuterFile> outer_;                                ///< if the file is no ELF file
  std::map<std::uint64_t, std::optional<OuterFile::Place>> inner_;  ///< by offsets of mappings
  InnerFile shown_;                                                 ///< of a file inside another
  bool by_address_ = false;
  std::uint64_t moved_ = 0;  ///< how far the recording's kernel is from the table's
  std::mutex mutex_;         ///< of names_ and inner_
  std::unordered_map<const elf::Symbol*, std::string> names_;  ///< those asked for
};

}  // namespace evname::symbols
