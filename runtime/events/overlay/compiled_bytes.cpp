// Compiled tables as bytes of this machine, for this build: texts and arrays one after the other,
// each after its size and at a multiple of 8.
#include <type_traits>

#include "events/overlay/table_cache.hpp"
#include "events/tables/check_tables.hpp"

namespace evname::overlay {
namespace {

constexpr std::size_t kUnit = 8;

class ArrayWriter {
 public:
  template <class Element>
  void array(std::span<const Element> elements) {
    static_assert(std::is_trivially_copyable_v<Element> && alignof(Element) <= kUnit);
    out_.u64(elements.size());
    out_.raw(
        std::string_view(reinterpret_cast<const char*>(elements.data()), elements.size_bytes()));
    out_.zeros((kUnit - out_.size() % kUnit) % kUnit);
  }
  void text(std::string_view text) { array(std::span<const char>(text)); }
  void number(std::uint64_t number) { out_.u64(number); }
  const std::string& bytes() const { return out_.bytes(); }

 private:
  ByteWriter out_{std::endian::native};
};

class ArrayReader {
 public:
  explicit ArrayReader(Bytes bytes) : in_(bytes) {}

  template <class Element>
  void array(std::span<const Element>& out) {
    const std::uint64_t count = in_.u64();
    const Bytes bytes = in_.array(count, sizeof(Element));
    in_.skip((kUnit - in_.position() % kUnit) % kUnit);
    if (in_.ok())
      out = {reinterpret_cast<const Element*>(bytes.data()), static_cast<std::size_t>(count)};
  }
  std::string_view text() {
    std::span<const char> out;
    array(out);
    return {out.data(), out.size()};
  }
  std::uint64_t number() { return in_.u64(); }
  bool ok() const { return in_.ok(); }

 private:
  Cursor in_;
};

}  // namespace

std::string compiled_bytes(const CompiledTrees& compiled) {
  ArrayWriter out;
  out.number(compiled.warnings.size());
  for (const std::string& warning : compiled.warnings) out.text(warning);
  out.number(compiled.tables.size());
  for (const auto& tables : compiled.tables) {
    const tables::ArchTables& view = tables->view();
    out.text(view.arch);
    out.text(view.directory);
    out.array(view.strings);
#define ARRAY(Element, name) out.array(view.name);
    EVNAME_TABLE_ARRAYS(ARRAY)
#undef ARRAY
  }
  return out.bytes();
}

std::optional<CompiledTrees> read_compiled(Bytes bytes, const std::shared_ptr<const void>& holder) {
  ArrayReader in(bytes);
  CompiledTrees out;
  for (std::uint64_t left = in.number(); left > 0 && in.ok(); --left)
    out.warnings.emplace_back(in.text());
  for (std::uint64_t left = in.number(); left > 0 && in.ok(); --left) {
    tables::ArchTables view;
    view.arch = in.text();
    view.directory = in.text();
    in.array(view.strings);
#define ARRAY(Element, name) in.array(view.name);
    EVNAME_TABLE_ARRAYS(ARRAY)
#undef ARRAY
    if (!in.ok() || !tables::are_sound(view)) return std::nullopt;
    out.tables.push_back(std::make_shared<const tables::OwnedTables>(holder, view));
  }
  if (!in.ok()) return std::nullopt;
  return out;
}

}  // namespace evname::overlay
