// The files of a kernel's modules: packed or not, and as the compiler made them, so that their
// sections have no addresses yet.

#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "recordings/symbols/code_file.hpp"
#include "recordings/symbols/elf_symbols.hpp"

namespace evname::symbols {
namespace {

class Module final : public ElfCode {
 public:
  Module(std::unique_ptr<ElfImage> image, std::string path)
      : image_(std::move(image)), path_(std::move(path)) {
    table_ = read_elf_symbols(
        {.symbols = *image_, .runtime = *image_, .layout = Layout::module, .demangle = false});
  }

  std::uint64_t address_of(std::uint64_t offset) const override { return offset; }
  std::string path() const override { return path_; }
  // Their debug information has no addresses either.
  bool frames(std::uint64_t, const Frame&, Wanted, std::vector<Frame>&) override { return false; }

 private:
  std::unique_ptr<ElfImage> image_;
  std::string path_;
};

}  // namespace

// dso__is_compatible_symtab_type of tools/perf/util/symbol.c has the same places.
std::unique_ptr<ElfCode> find_module(const Search& search) {
  const std::string cached = search.options.cache + "/" + build_id_path(search.build_id);
  const std::pair<std::string, const char*> places[] = {
      {cached + "/elf", "cache of perf"},
      {cached + "/debug", "cache of perf"},
      {search.options.symfs + search.name, "the file itself"}};
  for (const auto& [path, what] : places) {
    auto image = ElfImage::open(path);
    if (!image) continue;
    if (image->build_id() != search.build_id) {
      search.tell(fmt::format("{}: {} has build id {}, not {}: not used", search.name, path,
                              hex_text(image->build_id()), hex_text(search.build_id)));
      continue;
    }
    auto module = std::make_unique<Module>(std::move(image), path);
    if (module->table().empty()) continue;
    search.tell(fmt::format("{}: symbols of {} ({})", search.name, path, what));
    return module;
  }
  return nullptr;
}

}  // namespace evname::symbols
