#pragma once
// Keeps the stacks of samples as a tree, and the locations and functions in them.

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/hash_map.hpp"
#include "evname/symbols.hpp"
#include "recordings/profiles/strings.hpp"
#include "recordings/session/address_maps.hpp"
#include "recordings/symbols/code_history.hpp"

namespace evname::profiles {

inline constexpr std::uint32_t kNone = UINT32_MAX;

/// A mapping of a file. Addresses in other mappings of the file are converted to this one.
struct Binary {
  std::string file;  ///< path, or a name as "[kernel.kallsyms]"
  std::vector<std::uint8_t> build_id;
  std::uint64_t start = 0, end = 0;  ///< addresses
  std::uint64_t offset = 0;          ///< of `start` in the file
  std::int32_t pid = -1;             ///< of memory that no file is mapped to; -1: any
  bool kernel = false;

  /// For the kernel, the address itself.
  std::uint64_t file_offset(std::uint64_t address) const {
    return kernel ? address : address - start + offset;
  }
};

struct Function {
  Strings::Id name = 0, source = 0;
  std::uint32_t binary = kNone;
  bool known = false;  ///< false: `name` is an address

  auto operator<=>(const Function&) const = default;
};

/// An instruction.
struct Location {
  std::uint32_t binary = kNone;  ///< kNone: no mapping is known there
  std::uint64_t address = 0;     ///< of the instruction; of calls, an address within it
  /// A function that contains the instruction. Inlined functions come before their callers.
  struct Line {
    std::uint32_t function = 0;
    std::uint32_t line = 0;  ///< 0: unknown
  };
  std::vector<Line> lines;
};

/// An address of a stack, as it was sampled.
struct Place {
  std::uint64_t address = 0;
  bool call = false;                ///< it is the address after a call
  session::MappedRange range = {};  ///< of the instruction, or the call
  std::uint32_t binary = kNone;     ///< the range's
  std::uint64_t code = 0;           ///< see locations::Location
};

class Stacks {
 public:
  explicit Stacks(Strings& strings) : strings_(strings) {}

  /// Returns the number of the binary of a range; kNone if nothing is known to be there.
  std::uint32_t binary_of(const session::MappedRange& range,
                          const symbols::InnerFile* inner = nullptr);
  /// Returns the number of a location; frames() returns its frames as NamedLocation has them, or
  /// none, and is called if it is new.
  std::uint32_t location(const Place& place, const std::function<std::span<const Frame>()>& frames);
  /// Returns the stack of a location that `caller` (kNone: nothing) called.
  std::uint32_t push(std::uint32_t caller, std::uint32_t location);

  /// Replaces the contents of `out` with the locations of a stack, leaf first.
  void locations_of(std::uint32_t stack, std::vector<std::uint32_t>& out) const;

  struct Node {
    std::uint32_t caller = kNone, location = 0;
  };
  const std::vector<Node>& nodes() const { return nodes_; }  ///< callers come first
  const std::vector<Location>& locations() const { return locations_; }
  const std::vector<Function>& functions() const { return functions_; }
  const std::vector<Binary>& binaries() const { return binaries_; }

 private:
  /// The binaries of one file: parts of the file, or addresses if there is no file.
  class Parts {
   public:
    /// Returns the binary that equals or contains a part; kNone if there is none.
    std::uint32_t find(std::uint64_t begin, std::uint64_t end);
    /// Adds a binary that find() has not found; `whole`: it contains its parts.
    void add(std::uint64_t begin, std::uint64_t end, std::uint32_t binary, bool whole);

   private:
    struct Wide {
      std::uint64_t end;
      std::uint32_t binary;
    };
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> exact_;
    std::map<std::uint64_t, Wide> wide_;  ///< by begin; none is in another one
  };
  using FileKey = std::tuple<std::string, std::vector<std::uint8_t>, std::int32_t, bool>;

  void name(Location& location, const Place& place, std::span<const Frame> frames);
  std::uint32_t function(const Function& function);

  Strings& strings_;
  std::vector<Node> nodes_;
  HashMap<std::uint64_t, std::uint32_t> by_caller_;
  std::vector<Location> locations_;
  std::map<std::tuple<std::uint32_t, std::uint64_t, bool, std::uint64_t>, std::uint32_t>
      by_address_;  ///< and code
  std::vector<Binary> binaries_;
  std::map<FileKey, Parts> by_file_;  ///< by path, build id, process, and whether it is the kernel
  std::vector<Function> functions_;
  std::map<Function, std::uint32_t> by_name_;
};

}  // namespace evname::profiles
