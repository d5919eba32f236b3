#include "text.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>

namespace evname::tools {
namespace {

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

std::string to_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return out;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const auto first = text.find_first_not_of(kSpace);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const auto at = text.find(separator);
    pieces.push_back(text.substr(0, at));
    if (at == text.npos) return pieces;
    text.remove_prefix(at + 1);
  }
}

std::optional<std::uint64_t> parse_number(std::string_view text, int base) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  if (text.empty() || error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::string hex_text(std::span<const std::uint8_t> bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

bool glob_match(std::string_view pattern, std::string_view text) {
  return fnmatch(std::string(pattern).c_str(), std::string(text).c_str(), 0) == 0;
}

std::string glob_hint(std::string_view name) {
  const bool pattern = name.find_first_of("*?[") != name.npos;
  return pattern ? std::string() : fmt::format(" ('*{}*' finds parts of names)", name);
}

std::string seconds_text(std::uint64_t ns) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  return fmt::format("{}.{:09}", ns / kSecond, ns % kSecond);
}

std::string microseconds_text(std::uint64_t ns) {
  std::string text = seconds_text(ns);
  text.resize(text.size() - 3);
  return text;
}

Result<std::string> read_text_file(const std::string& path, std::size_t limit) {
  const std::unique_ptr<std::FILE, Closer> file(std::fopen(path.c_str(), "rb"));
  if (!file) return fail(errno == ENOENT ? Errc::not_found : Errc::io, std::strerror(errno), path);
  std::string out;
  char block[1 << 16];
  while (const std::size_t got = std::fread(block, 1, sizeof block, file.get())) {
    out.append(block, got);
    if (out.size() > limit)
      return fail(Errc::out_of_range, fmt::format("larger than the {} bytes expected", limit),
                  path);
  }
  if (std::ferror(file.get())) return fail(Errc::io, std::strerror(errno), path);
  return out;
}

}  // namespace evname::tools
