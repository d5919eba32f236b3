#pragma once
// Reads orders from another program during a recording (--control).

#include <optional>
#include <string>

namespace evname::tools {

/// Returns the fault of fd:NUMBER[,NUMBER] or fifo:PATH[,PATH]; "" if there is none.
std::string control_problem(const std::string& text);

class Control {
 public:
  Control() = default;
  Control(const Control&) = delete;
  ~Control();

  /// Opens a text accepted by control_problem(). `also` is another file to wait for, or -1. Returns
  /// false after reporting an error.
  bool open(const std::string& text, int also);
  /// A file that can be read while an order or `also` waits.
  int file() const { return both_; }
  /// Returns the next available order; nullopt: there is none now.
  std::optional<std::string> next();
  /// Acknowledges an order.
  void acknowledge() const;

 private:
  bool fill();

  int orders_ = -1, answers_ = -1, both_ = -1;
  bool is_ours_ = false;  ///< the files are fifos that it has opened
  std::string waiting_;   ///< orders that were read
};

}  // namespace evname::tools
