#pragma once
// A pager between standard output and a terminal.

#include <sys/types.h>

namespace evname::tools {

/// From construction to destruction what is printed goes through $EVNAME_PAGER, $PAGER or
/// `less -FRX`, if standard output is a terminal; straight to it where none of these can be
/// started. The process ends with it only when the reader is done; one who quits early ends the
/// process, with kDone.
class Pager {
 public:
  explicit Pager(bool wanted);
  ~Pager();
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;

 private:
  void start(const char* command);

  int kept_[3] = {-1, -1, -1};  ///< what the standard descriptors were before
};

}  // namespace evname::tools
