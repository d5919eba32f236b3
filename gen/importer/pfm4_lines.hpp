#pragma once
// Makes the lines of arch/pfm4 from libpfm4's events, unit masks and PMUs.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "importer/c_source.hpp"

namespace evname::importer {

using Cells = std::vector<std::string>;
/// The names of PMUs by libpfm4's numbers.
using PmuNames = std::map<std::uint64_t, std::string>;

inline constexpr std::string_view kPfm4TableHeading =
    "event,mask,code,group,flags,modifiers,required,only,alias,filter0,filter1";

std::string csv_line(const Cells& cells);
/// Returns the flags that PMUs of all architectures may have.
std::string common_flag_words(std::uint64_t flags);
bool is_common_flag(std::string_view word);

/// Returns the line of an event with so many masks.
std::string pfm4_event_line(const CValue& event, std::string_view layout, std::size_t masks,
                            const PmuNames& names);
std::string pfm4_mask_line(const CValue& mask, std::string_view layout, const PmuNames& names);

}  // namespace evname::importer
