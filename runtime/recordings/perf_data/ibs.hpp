#pragma once
// AMD's instruction-based sampling: the CPU's measurements of an op or a fetch, by the names of
// perf script -D. The rows of ibs.def list registers and their parts.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "evname/recording.hpp"

namespace evname::perf_data {

enum class IbsKind : std::uint8_t { none, op, fetch };

/// A register or a part of one, in perf's order.
enum class IbsItem : std::uint8_t {
#define EVNAME_IBS_REGISTER(name, ...) name,
#define EVNAME_IBS_PART(name, ...) name,
#include "recordings/perf_data/ibs.def"
};

/// The value of a register or a part.
struct IbsValue {
  std::uint64_t number = 0;
  std::string_view name = {};  ///< "3=DRAM", "4KB"; empty if the number has none
};

/// perf's format of an item.
struct IbsStyle {
  std::string_view label;      ///< "ibs_op_ctl", "MaxCnt"
  bool is_register = false;    ///< its value is hexadecimal
  bool is_number = false;      ///< no value has a name
  std::uint8_t width = 1;      ///< of the value of a part
  bool gap = false;            ///< a second space is before the label
  std::string_view unit = {};  ///< follows the value: " bytes"
};

const IbsStyle& ibs_style(IbsItem item);
/// Returns the items of a kind.
std::span<const IbsItem> ibs_items(IbsKind kind);

/// The capabilities of a CPU's IBS, and its family and model, for errata.
struct IbsModel {
  std::uint32_t family = 0, model = 0;
  bool zen4 = false, ldlat = false, dtlb_pgsize = false, rmtsocket = false, strmst = false;
};

/// Reads the raw data of IBS samples of a recording, one sample at a time.
class IbsReader {
 public:
  /// Returns none if no event of the recording is one of IBS with raw data.
  static std::optional<IbsReader> of(const Recording& file);

  /// Returns the kind of an event.
  IbsKind kind(std::size_t attr) const { return kinds_[attr]; }
  /// Goes to a sample of that event. Returns false if its raw data is too short for the registers
  /// of that kind, or not valid: it then has no items.
  bool read(std::size_t attr, std::string_view raw);

  /// Returns the kind of the sample; none for other or damaged samples.
  IbsKind kind() const { return kind_; }
  /// Returns the value of an item; none if the sample or its CPU lacks it.
  std::optional<IbsValue> value(IbsItem item) const;

 private:
  bool has_caps_ = false;  ///< the recording has the PMU's capabilities
  IbsModel recorded_;
  std::endian order_ = std::endian::little;
  std::vector<IbsKind> kinds_;
  // Of the sample at hand.
  IbsKind kind_ = IbsKind::none;
  IbsModel model_;
  std::uint64_t words_[8] = {};
  std::size_t count_ = 0;  ///< of the words that it has
};

}  // namespace evname::perf_data
