#include "recordings/symbols/code_file.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "base/read_file.hpp"
#include "base/text.hpp"
#include "recordings/symbols/plain_symbols.hpp"

namespace evname::symbols {

bool is_without_file(std::string_view name) {
  for (const std::string_view prefix :
       {"//anon", "/dev/zero", "/anon_hugepage", "[stack", "/SYSV", "[heap]"})
    if (name.starts_with(prefix)) return true;
  return name.empty();
}

bool is_kernel_image(std::string_view name) {
  return name.starts_with("[kernel.kallsyms]") || name.starts_with("[guest.kernel.kallsyms");
}

bool is_module(std::string_view name) {
  return !is_kernel_image(name) && (name.starts_with('[') || name.find(".ko") != name.npos);
}

bool is_vdso(std::string_view name) {
  return name.starts_with("[vdso") || name == "linux-vdso.so.1";
}

void CodeFile::load(const Mapping& mapping) {
  if (search_.kind == Kind::module)
    elf_ = find_module(search_);
  else if (search_.kind != Kind::user)
    load_kernel();
  else if (is_without_file(search_.name))
    load_jit(mapping);
  else
    elf_ = find_elf_code(search_);
  if (elf_) table_ = &elf_->table();
  const auto text =
      by_address_ && mapping.kernel && table_ ? table_->address_of("_text") : std::nullopt;
  if (text && mapping.offset != 0) moved_ = *text - mapping.offset;
}

// As dso__load_kernel_sym of tools/perf/util/symbol.c, but kallsyms of another kernel are never
// used.
void CodeFile::load_kernel() {
  by_address_ = true;
  const bool listed = search_.kind == Kind::listed;
  if (!listed && search_.options.kallsyms.empty() && (elf_ = find_vmlinux(search_))) return;
  const char* const what = listed ? "modules" : "kernel";
  std::vector<std::string> places;
  const auto running = running_kernel_build_id();
  if (!search_.options.kallsyms.empty()) {
    places = {search_.options.kallsyms};
  } else {
    if (!search_.build_id.empty() && running == search_.build_id) places = {"/proc/kallsyms"};
    if (!search_.build_id.empty())
      places.push_back(fmt::format("{}/[kernel.kallsyms]/{}/kallsyms", search_.options.cache,
                                   hex_text(search_.build_id)));
  }
  for (const std::string& place : places) {
    auto table = read_kallsyms(place, listed);
    if (!table || table->empty() ||
        table->address_of("_text").value_or(1) == 0) {  // addresses that only root may see are 0
      search_.tell(fmt::format("{}: no symbols in {}", what, place));
      continue;
    }
    own_ = std::move(*table);
    table_ = &own_;
    search_.tell(fmt::format("{}: symbols of {}", what, place));
    return;
  }
  search_.problem(
      !search_.options.kallsyms.empty() ? fmt::format("{}: no symbols in {}", what, places[0])
      : search_.build_id.empty()
          ? fmt::format("{}: the recording does not tell the kernel's build id, so no symbols fit",
                        what)
          : fmt::format("{}: no symbols of build id {}{}", what, hex_text(search_.build_id),
                        running == search_.build_id ? "" : "; another kernel runs"));
}

void CodeFile::load_jit(const Mapping& mapping) {
  by_address_ = true;
  const std::string map = fmt::format("{}/tmp/perf-{}.map", search_.options.symfs, search_.pid);
  auto table = read_perf_map(map);
  std::string from = map;
  if (!table && !mapping.jitdump.empty()) {
    from = search_.options.symfs + std::string(mapping.jitdump);
    table = read_jitdump(from);
  }
  search_.tell(table ? fmt::format("{}: {} functions of {}", search_.name, table->size(), from)
                     : fmt::format("{}: there is no {}", search_.name, map));
  if (!table) return;
  own_ = std::move(*table);
  table_ = &own_;
}

std::uint64_t CodeFile::place_of(std::uint64_t address, const Mapping& mapping) const {
  if (by_address_) return address + moved_;
  return address - mapping.start + (search_.kind == Kind::module ? 0 : mapping.offset);
}

std::string_view CodeFile::name_of(const Symbol& symbol) {
  if (!symbol.mangled) {
    const std::string_view name(symbol.name);
    return name.substr(0, name.find('\t'));  // a module follows
  }
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = names_.try_emplace(&symbol);
  if (is_new) at->second = shown_name(symbol);
  return at->second;
}

Frame CodeFile::function(std::uint64_t address, const Mapping& mapping) {
  std::call_once(loaded_, [&] { load(mapping); });
  const std::uint64_t place = place_of(address, mapping);
  // Modules do not move with their kernel.
  const bool elsewhere = moved_ != 0 && mapping.kernel && !is_kernel_image(mapping.file);
  const Symbol* symbol = table_ && !elsewhere ? table_->find(place) : nullptr;
  const std::uint64_t own = elf_ ? elf_->address_of(place) : place;
  if (!symbol) return {.address = own};
  return {.function = name_of(*symbol), .offset = place - symbol->start, .address = own};
}

bool CodeFile::has_symbols(const Mapping& mapping) {
  std::call_once(loaded_, [&] { load(mapping); });
  return table_ != nullptr;
}

std::string CodeFile::path(const Mapping& mapping) {
  std::call_once(loaded_, [&] { load(mapping); });
  return elf_ ? elf_->path() : std::string();
}

void CodeFile::frames(std::uint64_t address, const Mapping& mapping, bool lines,
                      std::vector<Frame>& frames) {
  const Frame whole = function(address, mapping);
  // perf looks for inlined calls only where it knows the function.
  const Wanted wanted{search_.options.inlines && !whole.function.empty(), lines};
  const bool known = (wanted.inlines || lines) && elf_ &&
                     elf_->frames(place_of(address, mapping), whole, wanted, frames);
  if (!known) frames.assign(1, whole);
}

}  // namespace evname::symbols
