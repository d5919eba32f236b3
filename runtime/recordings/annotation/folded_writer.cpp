// Folded stacks: "event;comm;root;…;leaf count", sorted, as flame graph tools take them.

#include <algorithm>
#include <numeric>
#include <span>
#include <string>

#include "base/text_pool.hpp"
#include "recordings/annotation/sample_writers.hpp"
#include "recordings/locations/by_location.hpp"
#include "recordings/perf_data/recording_state.hpp"

namespace evname::annotation {
namespace {

/// The stacks as a tree of labels, root first, and how often each was met.
struct FoldedTree {
  struct Count {
    std::uint64_t count = 0;
    bool is_stack = false;  ///< it has a count, which may be 0
  };

  void add(std::uint32_t node, std::uint64_t count) {
    if (node >= counts.size()) counts.resize(nodes.size());
    counts[node].count += count;
    counts[node].is_stack = true;
  }
  Count count(std::uint32_t node) const { return node < counts.size() ? counts[node] : Count(); }

  PairTree nodes;
  std::vector<Count, BigPages<Count>> counts;  ///< by node
};

/// Writes a tree's stacks in the order of their texts.
class FoldedLines {
 public:
  FoldedLines(const FoldedTree& tree, const TextPool& labels, Output& out)
      : tree_(tree), nodes_(tree.nodes), labels_(labels), out_(out) {
    const std::vector<std::uint32_t> ranks = ranks_of_texts();
    std::vector<bool> goes_on(nodes_.size());
    for (std::uint32_t i = 1; i < nodes_.size(); ++i) goes_on[nodes_[i].parent] = true;
    const auto for_each_line = [&](auto&& each) {
      for (std::uint32_t i = 1; i < nodes_.size(); ++i) {
        const std::uint32_t rank = nodes_[i].value * 2;
        if (tree.count(i).is_stack) each(nodes_[i].parent, Line{i, ranks[rank], false});
        if (goes_on[i]) each(nodes_[i].parent, Line{i, ranks[rank + 1], true});
      }
    };
    starts_.resize(nodes_.size() + 1);
    for_each_line([&](std::uint32_t parent, const Line&) { ++starts_[parent]; });
    std::uint32_t sum = 0;
    for (std::uint32_t& start : starts_) start = std::exchange(sum, sum + start);
    lines_.resize(sum);
    std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
    for_each_line([&](std::uint32_t parent, const Line& line) { lines_[next[parent]++] = line; });
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      std::sort(lines_.begin() + starts_[i], lines_.begin() + starts_[i + 1],
                [](const Line& a, const Line& b) { return a.rank < b.rank; });
  }

  void write() {
    struct Open {
      std::uint32_t next, end;
      std::size_t size;  ///< of the text before its children
    };
    std::vector<Open> open{{starts_[0], starts_[1], 0}};
    while (!open.empty()) {
      Open& last = open.back();
      text_.resize(last.size);
      if (last.next == last.end) {
        open.pop_back();
        continue;
      }
      const Line line = lines_[last.next++];
      text_ += labels_[nodes_[line.node].value];
      if (line.goes_on) {
        text_ += ';';
        open.push_back({starts_[line.node], starts_[line.node + 1], text_.size()});
      } else if (!put(tree_.count(line.node).count)) {
        return;
      }
    }
  }

 private:
  /// The stack that ends with a node, or the stacks that continue from it after ";".
  struct Line {
    std::uint32_t node = 0, rank = 0;  ///< by rank of the text
    bool goes_on = false;
  };

  struct Text {
    std::string_view label;
    bool goes_on;
    bool operator<(const Text& other) const {
      const std::size_t common = std::min(label.size(), other.label.size());
      if (const int order = label.substr(0, common).compare(other.label.substr(0, common)))
        return order < 0;
      return rest(common) < other.rest(common);
    }
    /// Returns the letter at `at` as a number; -1 after the last one.
    int rest(std::size_t at) const {
      if (at < label.size()) return static_cast<unsigned char>(label[at]);
      return goes_on ? ';' : -1;
    }
  };

  /// Returns the ranks of the labels' texts: 2 * i for label i at the end of a stack, and 2 * i + 1
  /// before other frames.
  std::vector<std::uint32_t> ranks_of_texts() const {
    std::vector<std::uint32_t> order(labels_.size() * 2), ranks(order.size());
    std::iota(order.begin(), order.end(), 0);
    const auto text = [&](std::uint32_t at) { return Text{labels_[at / 2], at % 2 == 1}; };
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return text(a) < text(b); });
    for (std::uint32_t i = 0; i < order.size(); ++i) ranks[order[i]] = i;
    return ranks;
  }

  bool put(std::uint64_t count) {
    out_.text(text_);
    out_.put(' ');
    out_.decimal(count);
    return out_.end_line();
  }

  const FoldedTree& tree_;
  const PairTree& nodes_;
  const TextPool& labels_;
  Output& out_;
  std::vector<std::uint32_t> starts_;  ///< of a node's children in lines_
  std::vector<Line, BigPages<Line>> lines_;
  std::string text_;
};

class FoldedWriter final : public SampleWriter {
 public:
  explicit FoldedWriter(const WriterSetup& setup)
      : context_(setup.context), out_(setup.out), periods_(setup.options.count_periods) {
    for (const std::string& name : context_.names) events_.push_back(label(name));
  }

  bool sample(const Sample& sample) override {
    context_.locations->stack(sample, context_.stack);
    std::uint32_t node = node_of_thread(sample);
    if (!context_.stack.empty()) {
      const std::span callers = std::span<const Address>(context_.stack).subspan(1);
      if (const auto known = callers_.find(context_.locations->whose(sample, node), callers)) {
        node = *known;
      } else {
        for (auto at = callers.rbegin(); at != callers.rend(); ++at)
          node = child(node, sample, *at);
        callers_.set(node);
      }
      node = child(node, sample, context_.stack.front());
    }
    tree_.add(node, periods_ ? sample.period() : 1);
    return true;
  }

  void take(SampleWriter& other) override {
    auto& from = static_cast<FoldedWriter&>(other);
    if (tree_.nodes.size() == 1) {  // nothing of its own; it counts no more
      std::swap(tree_, from.tree_);
      return std::swap(labels_, from.labels_);
    }
    std::vector<std::uint32_t> labels;  // by the other's
    for (std::uint32_t i = 0; i < from.labels_.size(); ++i)
      labels.push_back(labels_.id(from.labels_[i]));
    std::vector<std::uint32_t> mine{PairTree::kRoot};  // by the other's nodes
    for (std::uint32_t i = 1; i < from.tree_.nodes.size(); ++i) {
      const PairTree::Node& node = from.tree_.nodes[i];
      mine.push_back(tree_.nodes.child(mine[node.parent], labels[node.value]));
      if (const auto own = from.tree_.count(i); own.is_stack) tree_.add(mine.back(), own.count);
    }
  }

  void end() override { FoldedLines(tree_, labels_, out_).write(); }

 private:
  std::uint32_t child(std::uint32_t node, const Sample& sample, Address address) {
    for (const std::uint32_t frame : labels_at(sample, address))
      node = tree_.nodes.child(node, frame);
    return node;
  }

  // ';' separates frames, the last space the count; functions' names may have spaces.
  std::uint32_t label(std::string_view name, bool is_function = false) {
    std::string text;
    text.reserve(name.size());
    for (const char letter : name)
      text += letter == ';'                                       ? ':'
              : letter == '\n' || (letter == ' ' && !is_function) ? '_'
                                                                  : letter;
    return labels_.id(text);
  }

  /// Returns the node of the sample's event and thread, which most samples share with the last one.
  std::uint32_t node_of_thread(const Sample& sample) {
    const std::string_view comm = sample.tid() ? sample.comm() : "-";
    const std::uint32_t attr = sample.event().attr;
    if (attr != attr_ || comm.data() != comm_.data() || comm.size() != comm_.size()) {
      attr_ = attr;
      comm_ = comm;
      node_ = tree_.nodes.child(tree_.nodes.child(PairTree::kRoot, events_[attr]), label(comm));
    }
    return node_;
  }

  /// Returns the labels of an address, outermost call first.
  std::span<const std::uint32_t> labels_at(const Sample& sample, Address address) {
    return labels_at_.of(context_.locations->place(sample, address), [&] {
      std::vector<std::uint32_t> labels;
      const Locations::Named& location = context_.locations->at(sample, address);
      for (auto frame = location.frames.rbegin(); frame != location.frames.rend(); ++frame) {
        std::string text;
        locations::append_label(text, location, *frame);
        labels.push_back(label(text, true));
      }
      return labels;
    });
  }

  FieldContext& context_;
  Output& out_;
  bool periods_;
  TextPool labels_;
  FoldedTree tree_;
  locations::ItemsByLocation<std::uint32_t> labels_at_;
  std::vector<std::uint32_t> events_;            ///< labels, by attr
  locations::ByCallers<std::uint32_t> callers_;  ///< nodes
  ///@{
  /// The event and the thread's name of the last sample, and their node.
  std::uint32_t attr_ = UINT32_MAX;
  std::string_view comm_;
  std::uint32_t node_ = 0;
  ///@}
};

}  // namespace

std::unique_ptr<SampleWriter> make_folded_writer(const WriterSetup& setup) {
  return std::make_unique<FoldedWriter>(setup);
}

}  // namespace evname::annotation
