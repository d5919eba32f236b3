#pragma once
// Makes the lines of arch/pfm4 from libpfm4's events, unit masks and PMUs.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "importer/pfm4_dump.hpp"

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

/// Returns the line of an event or unit mask.
std::string pfm4_line(const Pfm4Row& row, std::string_view layout, const PmuNames& names);

}  // namespace evname::importer
