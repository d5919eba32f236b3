#pragma once
// Orders that another program gives while a recording goes on (--control).

#include <optional>
#include <string>

namespace evname::tools {

/// Returns what is wrong with fd:NUMBER[,NUMBER] or fifo:PATH[,PATH]; "": nothing.
std::string control_problem(const std::string& text);

class Control {
 public:
  Control() = default;
  Control(const Control&) = delete;
  ~Control();

  /// Opens what control_problem() found right. `also` is another file to wait for, or -1. Returns
  /// false after reporting what can't be opened.
  bool open(const std::string& text, int also);
  /// A file that can be read while an order or `also` waits.
  int file() const { return both_; }
  /// Returns the next order that is there; nullopt: there is none now.
  std::optional<std::string> next();
  /// Says that an order has been carried out.
  void acknowledge() const;

 private:
  bool fill();

  int orders_ = -1, answers_ = -1, both_ = -1;
  bool is_ours_ = false;  ///< the files are fifos that it has opened
  std::string waiting_;   ///< orders that were read
};

}  // namespace evname::tools
