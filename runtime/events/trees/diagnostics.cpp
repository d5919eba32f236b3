#include "events/trees/diagnostics.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/read_file.hpp"
#include "base/text.hpp"

namespace evname::trees {
namespace {

constexpr std::size_t kFileLimit = std::size_t{1} << 28;  // a whole file is held in memory

}  // namespace

Result<std::string> read_tree_file(const std::string& path) {
  const auto file = open_regular(path);
  if (!file) return fail(file);
  struct stat info {};  // files of the kernel, such as /proc/kmsg, have size 0
  if (::fstat(file->get(), &info) == 0 && info.st_size == 0) return std::string();
  return read_text_file(path, kFileLimit);
}

std::uint32_t Diagnostics::add_file(std::string path) {
  files_.push_back(std::move(path));
  return static_cast<std::uint32_t>(files_.size() - 1);
}

void Diagnostics::report(Severity severity, Place place, std::string_view event,
                         std::string_view key, std::string message) {
  all_.push_back({severity, place, std::string(event), std::string(key), std::move(message)});
}

std::uint32_t Diagnostics::adopt(Diagnostics other) {
  const auto base = static_cast<std::uint32_t>(files_.size());
  std::move(other.files_.begin(), other.files_.end(), std::back_inserter(files_));
  for (Diagnostic& diagnostic : other.all_) {
    diagnostic.place.file += base;
    all_.push_back(std::move(diagnostic));
  }
  return base;
}

std::size_t Diagnostics::count(Severity severity) const {
  return static_cast<std::size_t>(std::count_if(
      all_.begin(), all_.end(), [&](const Diagnostic& d) { return d.severity == severity; }));
}

std::size_t Diagnostics::line_of(Place place) const {
  if (cached_file_ != place.file) {
    cached_text_ = read_tree_file(files_[place.file]).value_or("");
    cached_file_ = place.file;
  }
  const auto end = cached_text_.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(
                                              place.offset, cached_text_.size()));
  return 1 + static_cast<std::size_t>(std::count(cached_text_.begin(), end, '\n'));
}

std::string Diagnostics::text(const Diagnostic& d) const {
  std::string out = fmt::format("{}:{}: {}: ", files_[d.place.file], line_of(d.place),
                                d.severity == Severity::error ? "error" : "warning");
  if (!d.event.empty()) out += d.event + ": ";
  if (!d.key.empty()) out += d.key + ": ";
  return out + d.message;
}

}  // namespace evname::trees
