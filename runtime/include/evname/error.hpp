#pragma once
// Errors are values: every call that can fail returns a Result.

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace evname {

/// What kind of failure an Error is. Callers branch on this, people read Error::message.
enum class Errc : std::uint8_t {
  invalid_argument,  ///< The caller's text or value can't be used as it is (a syntax error, say).
  not_found,         ///< No such event, CPU, model, PMU or file.
  out_of_range,      ///< A number does not fit the place it is meant for.
  corrupt,           ///< Bytes of a file contradict its format.
  io,                ///< The operating system refused: message holds its reason.
  unsupported,       ///< Well-formed, but this build can't do it.
};

/// One failure. All members are owned copies; an Error outlives what it speaks of.
struct Error {
  Errc code = Errc::invalid_argument;  ///< For callers to branch on.
  std::string message;                 ///< What was wrong, one sentence without a final full stop.
  std::string where;  ///< File, file:line, or `file@offset`; empty where there is none.
  std::string hint;   ///< What to try next, "did you mean …"; often empty.
  /// The byte, counted from 0, at which the event text, the metric expression or the file is wrong;
  /// nullopt where it is not about one place.
  std::optional<std::uint64_t> offset = std::nullopt;

  /// "where: message (hint)", ready for stderr.
  std::string text() const {
    std::string out = where.empty() ? message : where + ": " + message;
    return hint.empty() ? out : out + " (" + hint + ")";
  }
};

/// A value, or why there is none.
template <class T>
using Result = tl::expected<T, Error>;

/// Builds the failing side of a Result.
inline tl::unexpected<Error> fail(Errc code, std::string message, std::string where = {},
                                  std::string hint = {}, std::optional<std::uint64_t> offset = {}) {
  return tl::unexpected<Error>(
      Error{code, std::move(message), std::move(where), std::move(hint), offset});
}

}  // namespace evname
