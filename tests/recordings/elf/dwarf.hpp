#pragma once
// Writes debug information: units of DWARF with any DIEs, and line tables.

#include <dwarf.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "recordings/elf/elf_file.hpp"
#include "support/bytes_out.hpp"

namespace evname::test {

inline std::string uleb(std::uint64_t value) {
  std::string out;
  do {
    out += static_cast<char>((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
  } while ((value >>= 7) != 0);
  return out;
}

inline std::string sleb(std::int64_t value) {
  std::string out;
  for (bool more = true; more;) {
    const auto low = static_cast<std::uint8_t>(value & 0x7f);
    value >>= 7;
    more = !((value == 0 && (low & 0x40) == 0) || (value == -1 && (low & 0x40) != 0));
    out += static_cast<char>(low | (more ? 0x80 : 0));
  }
  return out;
}

/// A DIE, whose references to others are by their labels.
struct Die {
  struct Attribute {
    unsigned name, form;
    std::uint64_t value = 0;
    std::string text = {};  ///< of DW_FORM_string; the label of DW_FORM_ref4
  };
  unsigned tag;
  std::vector<Attribute> attributes = {};
  std::vector<Die> children = {};
  std::string label = {};
};

inline Die::Attribute text_at(unsigned name, std::string text) {
  return {name, DW_FORM_string, 0, std::move(text)};
}
inline Die::Attribute address_at(unsigned name, std::uint64_t value) {
  return {name, DW_FORM_addr, value};
}
inline Die::Attribute number_at(unsigned name, std::uint64_t value) {
  return {name, DW_FORM_data4, value};
}
inline Die::Attribute offset_at(unsigned name, std::uint64_t value) {
  return {name, DW_FORM_sec_offset, value};
}
inline Die::Attribute reference_at(unsigned name, std::string label) {
  return {name, DW_FORM_ref4, 0, std::move(label)};
}

/// A DIE that has the addresses from `start` to before `end`, counted from the file's first.
inline Die ranged(unsigned tag, std::uint64_t start, std::uint64_t end,
                  std::vector<Die::Attribute> more = {}, std::vector<Die> children = {}) {
  std::vector<Die::Attribute> attributes = {address_at(DW_AT_low_pc, ElfParts::kAddress + start),
                                            {DW_AT_high_pc, DW_FORM_data8, end - start}};
  attributes.insert(attributes.end(), more.begin(), more.end());
  return {tag, std::move(attributes), std::move(children)};
}

/// Units, which are added one after the other, and their abbreviations: a table for each.
class Units {
 public:
  /// `type`: of DWARF 5's header; `id`: of a unit that is split.
  Units& add(const Die& root, std::uint16_t version = 4, std::uint8_t type = DW_UT_compile,
             std::uint64_t id = 0) {
    body_ = BytesOut();
    labels_.clear();
    patches_.clear();
    code_ = 0;
    const std::size_t table = abbreviations_.size();
    const bool is_split = version >= 5 && (type == DW_UT_skeleton || type == DW_UT_split_compile);
    header_ = version < 5 ? 11 : is_split ? 20 : 12;
    write(root);
    abbreviations_ += '\0';
    std::string body = body_.str();
    for (const auto& [at, label] : patches_)
      body.replace(at, 4, BytesOut().u32(labels_.at(label)).str());
    BytesOut unit;
    unit.u32(static_cast<std::uint32_t>(body.size() + header_ - 4)).u16(version);
    if (version >= 5) unit.u8(type).u8(8);
    unit.u32(static_cast<std::uint32_t>(table));
    if (version < 5) unit.u8(8);
    if (is_split) unit.u64(id);
    info_ += unit.str() + body;
    return *this;
  }
  const std::string& info() const { return info_; }
  const std::string& abbreviations() const { return abbreviations_; }
  /// The offset of a DIE in the last unit.
  std::uint32_t offset(const std::string& label) const { return labels_.at(label); }

 private:
  void write(const Die& die) {
    labels_[die.label] = static_cast<std::uint32_t>(header_ + body_.size());
    const std::string code = uleb(++code_);
    body_.raw(code);
    abbreviations_ += code + uleb(die.tag) + (die.children.empty() ? '\0' : '\1');
    for (const Die::Attribute& one : die.attributes) {
      abbreviations_ += uleb(one.name) + uleb(one.form);
      write(one);
    }
    abbreviations_ += std::string(2, '\0');
    for (const Die& child : die.children) write(child);
    if (!die.children.empty()) body_.u8(0);
  }
  void write(const Die::Attribute& one) {
    switch (one.form) {
      case DW_FORM_addr:
      case DW_FORM_data8:
        body_.u64(one.value);
        break;
      case DW_FORM_data1:
        body_.u8(static_cast<std::uint8_t>(one.value));
        break;
      case DW_FORM_udata:
        body_.raw(uleb(one.value));
        break;
      case DW_FORM_string:
        body_.raw(one.text).u8(0);
        break;
      case DW_FORM_ref4:
        patches_.emplace_back(body_.size(), one.text);
        body_.u32(0);
        break;
      default:  // DW_FORM_data4, DW_FORM_sec_offset, DW_FORM_GNU_ref_alt
        body_.u32(static_cast<std::uint32_t>(one.value));
    }
  }

  std::string info_, abbreviations_;
  BytesOut body_;
  std::size_t header_ = 0;
  std::uint64_t code_ = 0;
  std::map<std::string, std::uint32_t> labels_;
  std::vector<std::pair<std::size_t, std::string>> patches_;
};

/// A line table of DWARF 4. Numbers of files and directories begin with 1; directory 0 is the
/// unit's.
struct LineTable {
  struct File {
    std::string name;
    std::uint64_t directory = 0;
  };
  struct Row {
    std::uint64_t address;
    std::uint64_t file;
    std::int64_t line;  ///< kEnd: the sequence ends
  };
  static constexpr std::int64_t kEnd = -1;
  std::vector<std::string> directories = {};
  std::vector<File> files = {};
  std::vector<Row> rows = {};

  std::string str() const {
    BytesOut head;  // of what follows the length of the header
    head.u8(1).u8(1).u8(1).u8(0xfb).u8(14).u8(13);
    head.raw(std::string_view("\0\1\1\1\1\0\0\0\1\0\0\1", 12));
    for (const std::string& directory : directories) head.raw(directory).u8(0);
    head.u8(0);
    for (const File& file : files) head.raw(file.name).u8(0).raw(uleb(file.directory)).u8(0).u8(0);
    head.u8(0);
    BytesOut program;
    std::int64_t line = 1;
    for (const Row& row : rows) {
      program.u8(0).u8(9).u8(DW_LNE_set_address).u64(row.address);
      if (row.line == kEnd) {
        program.u8(0).u8(1).u8(DW_LNE_end_sequence);
        line = 1;
        continue;
      }
      program.u8(DW_LNS_set_file).raw(uleb(row.file));
      program.u8(DW_LNS_advance_line).raw(sleb(row.line - line)).u8(DW_LNS_copy);
      line = row.line;
    }
    const auto size = static_cast<std::uint32_t>(2 + 4 + head.size() + program.size());
    BytesOut table;
    table.u32(size).u16(4).u32(static_cast<std::uint32_t>(head.size()));
    return table.raw(head.str()).raw(program.str()).str();
  }
};

}  // namespace evname::test
