#pragma once
// A pager between standard output and a terminal.

#include <sys/types.h>

namespace evname::tools {

/// Between construction and destruction, output goes through $EVNAME_PAGER, $PAGER or `less -FRX`
/// if standard output is a terminal; directly if none of these can be started. The process waits
/// for the reader; a reader who quits early ends it, with kDone.
class Pager {
 public:
  explicit Pager(bool wanted);
  ~Pager();
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;

 private:
  void start(const char* command);

  int kept_[3] = {-1, -1, -1};  ///< the original standard descriptors
};

}  // namespace evname::tools
