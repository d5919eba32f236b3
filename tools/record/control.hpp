#pragma once
// Reads orders from another program while events are recorded or counted (--control).

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace evname::tools {

/// Returns the fault of fd:NUMBER[,NUMBER] or fifo:PATH[,PATH]; "" if there is none.
std::string control_problem(const std::string& text);

/// Tells the first fault of each kind, and how many others there were.
class OrderFaults {
 public:
  /// `kind` follows "5 more orders: ".
  void tell(std::string_view kind, std::string_view text);
  void tell_rest() const;

 private:
  std::map<std::string_view, std::uint64_t> counts_;
};

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
  /// Reads a few bytes, so that a flood of orders leaves time for all else, and calls `follow` for
  /// each order that ends there, until `ends` is set. Acknowledges an order if `follow` returns
  /// true; else the order is a fault, and the message lists the `known` ones.
  void follow_orders(const std::function<bool(std::string_view)>& follow, std::string_view known,
                     const bool& ends, OrderFaults& faults);

 private:
  static constexpr std::size_t kLongestOrder = 4096;
  /// Returns the orders. A longer order than kLongestOrder is cut, and is one order.
  std::vector<std::string> take();
  /// Acknowledges an order. Returns why it can't; "" if it can.
  std::string acknowledge() const;
  void add(char byte, std::vector<std::string>& out);

  int orders_ = -1, answers_ = -1, both_ = -1;
  bool is_ours_ = false;  ///< the files are fifos that it has opened
  std::string order_;     ///< the order that has not ended yet
};

}  // namespace evname::tools
