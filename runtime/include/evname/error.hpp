#pragma once
// Errors are values: every call that can fail returns a Result.

#if __cplusplus <= 201703L
#error "evname's C++ headers need C++20 (-std=c++20); <evname/evname.h>, for C, needs C99 or C++11"
#endif

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "evname/export.h"

namespace evname {

/// The kind of a failure, for programs to branch on; Error::message is for people.
enum class Errc : std::uint8_t {
  invalid_argument,  ///< The caller's text or value can't be used as it is (a syntax error, say).
  not_found,         ///< No such event, CPU, model, PMU or file.
  out_of_range,      ///< A number does not fit its destination.
  corrupt,           ///< Bytes of a file contradict its format.
  io,                ///< The operating system reported an error; the message includes it.
  unsupported,       ///< Well-formed, but this build can't do it.
  cancelled,         ///< PassOptions::progress returned false.
};

/// A failure. It owns its texts and may outlive the objects it is about.
struct EVNAME_API Error {
  Errc code = Errc::invalid_argument;  ///< The kind of failure.
  std::string message;                 ///< What went wrong: one sentence without a final full stop.
  std::string where;  ///< File, and `:LINE` or `@OFFSET` if known; empty if there is none.
  std::string hint;   ///< What to try next, "did you mean …"; often empty.
  /// Offset in bytes, from 0, of the fault in the event text, the metric expression or the file;
  /// nullopt if it has no single place.
  std::optional<std::uint64_t> offset = std::nullopt;

  // These are out of line, since nearly every function that can fail would repeat them.
  ///@{
  /// Makes, copies or moves a failure.
  Error();
  Error(Errc code_of, std::string what, std::string place = {}, std::string try_next = {},
        std::optional<std::uint64_t> offset_of = {});
  Error(const Error&);
  Error(Error&&) noexcept;
  Error& operator=(const Error&);
  Error& operator=(Error&&) noexcept;
  ~Error();
  ///@}

  /// Returns "where: message (hint)", ready for stderr.
  std::string text() const;
};

/// A value or an Error.
template <class T>
using Result = tl::expected<T, Error>;

/// Makes a failed Result.
EVNAME_API tl::unexpected<Error> fail(Errc code, std::string message, std::string where = {},
                                      std::string hint = {},
                                      std::optional<std::uint64_t> offset = {});

/// Makes a failed Result of an error.
inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

/// Makes a failed Result of another type: `if (!file) return fail(file);`.
template <class T>
tl::unexpected<Error> fail(const Result<T>& failed) {
  return tl::unexpected<Error>(failed.error());
}
/// Does the same without a copy: `if (!file) return fail(std::move(file));`.
template <class T>
tl::unexpected<Error> fail(Result<T>&& failed) {
  return tl::unexpected<Error>(std::move(failed).error());
}

}  // namespace evname
