#pragma once
// Packs terms into config words, as perf does (util/pmu.c, pmu_config_term), and back. All encoding
// goes through it.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "events/pmu/pmu.hpp"
#include "events/syntax/events.hpp"
#include "events/syntax/term_names.hpp"
#include "events/tables/model_view.hpp"
#include "evname/code.h"
#include "evname/error.hpp"

namespace evname::packing {

/// The result of packing: the config words and the sample period (0: none given).
struct Packed {
  ConfigWords config{};
  std::uint64_t period = 0;
  /// The generic type of the code in place of the PMU's (legacy-hardware-config=…).
  std::optional<std::uint32_t> generic = {};
};

/// Packs terms for one PMU. Compiles its format fields once. Immutable; the PMU and the tables
/// outlive it.
///
/// Terms are ORed into the words. config, config1, … apply first, at any place in the list; the
/// last of several periods counts. Errors: out_of_range for a value too wide for its field,
/// not_found for an unknown term, invalid_argument for a value that is missing or of the wrong
/// kind; `where` is the term's column if the user wrote it, else empty.
class Packer {
 public:
  /// Terms of the tables `arches` are packed without comparing names. If `extended`, the PMU's type
  /// goes into generic codes (BoundPmu::is_extended).
  explicit Packer(const pmu::Pmu& pmu, std::span<const tables::ArchTables* const> arches = {},
                  bool extended = false);

  Result<Packed> pack(std::span<const tables::Term> terms) const;
  /// Does the same for an event of tables. Allocates nothing unless it fails.
  Result<Packed> pack(const tables::ArchTables& arch, const tables::Event& event) const;

 private:
  /// The place for a term's value: a format field, or the place of perf's own term.
  struct Slot {
    const syntax::PerfTerm* own = nullptr;
    const pmu::Format* format = nullptr;  ///< neither: the PMU has no such term
    std::uint8_t shift = 0;
    std::uint8_t width = 0;  ///< in bits
    bool has_holes = false;  ///< the field's bits are not contiguous
  };
  /// The words while terms are added, in any order. The words of config, config1, … apply before
  /// the fields.
  struct Words {
    Packed& own;
    ConfigWords fields{};
  };
  /// The slots of all terms of some tables, by index into ArchTables::term_names.
  struct TermSlots {
    const void* names;
    std::vector<Slot> slots;
  };
  struct TextTerms;
  struct TableTerms;

  Slot slot_of(std::string_view name) const;
  template <class Terms>
  Result<Packed> pack_all(const Terms& terms) const;
  template <class Terms>
  void clear_defaults(const Terms& terms, Words& out) const;
  Result<void> put(const Slot& slot, const tables::Term& term, Words& out) const;
  bool put_number(const Slot& slot, std::uint64_t value, Words& out) const;
  Result<void> put_perf_term(const syntax::PerfTerm& own, const tables::Term& term,
                             Packed& out) const;
  Result<void> put_legacy(const syntax::PerfTerm& own, std::uint64_t number, Packed& out) const;
  tl::unexpected<Error> unknown_term(std::string_view name) const;

  const pmu::Pmu& pmu_;
  bool extended_;
  bool replaces_;  ///< see has_defaults()
  std::uint64_t default_config_;
  std::uint64_t default_period_;
  std::vector<TermSlots> slots_;
};

/// Packs the terms of an event that belongs to no PMU's formats (r1a8, mem:0x1000): only perf's own
/// terms are allowed, and for a tracepoint only some of them.
Result<void> pack_perf_terms(std::span<const tables::Term> terms, bool tracepoint, Packed& out);

/// Returns true for PMUs that perf fills in defaults for. Only there a value replaces its field
/// (pmu_config_term's `zero`).
bool has_defaults(const pmu::Pmu& pmu);

/// Returns the initial `config`: 0, except for Intel PT, which perf records with time stamps and
/// with packets as often as its caps allow, up to a limit (intel_pt_default_config).
std::uint64_t default_config(const pmu::Pmu& pmu);

/// Returns perf's default sample period (0: none): for Arm's SPE the shortest that the CPU can keep
/// up with (arm_spe_pmu__sample_period), for CoreSight 1 (cs_etm_get_default_config).
std::uint64_t default_period(const pmu::Pmu& pmu);

/// Returns config words as terms of that PMU, always exact: "event=0xd1,umask=0x20". If fields
/// overlap, the fields of `preferred` come first, then event and umask; a word whose fields are
/// ambiguous or do not cover its bits is spelled "config1=0x…". Packing the result gives the words
/// again.
std::string decode_terms(const pmu::Pmu& pmu, const ConfigWords& config,
                         std::span<const tables::Term> preferred = {});

/// Returns "config=0x1a8,config1=0x3", for codes of an unknown PMU. Leaves zero words out.
std::string plain_terms(const ConfigWords& config);

/// Spells a term whose source has no spelling: "umask=0x20", "inv=1", "period=100003".
std::string canonical_term(const pmu::Pmu& pmu, const tables::Term& term);

/// Returns a sentence for each field that holds another value than its last term has, or the user's
/// last if the user names it. `words` is the result of pack() for these terms.
std::vector<std::string> overlap_warnings(const pmu::Pmu& pmu, std::span<const tables::Term> terms,
                                          const Packed& words);

}  // namespace evname::packing
