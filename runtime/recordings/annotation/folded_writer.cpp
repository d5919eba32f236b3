// Folded stacks: "event;comm;root;…;leaf count", sorted, as flame graph tools take them.

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>
#include <string>
#include <unordered_map>

#include "base/big_pages.hpp"
#include "recordings/annotation/sample_writers.hpp"
#include "recordings/locations/by_location.hpp"
#include "recordings/perf_data/perf_data_state.hpp"

namespace evname::annotation {
namespace {

/// Texts, each once, by number.
class Labels {
 public:
  std::uint32_t id(const std::string& text) {
    const auto [at, is_new] = ids_.try_emplace(text, static_cast<std::uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(&at->first);
    return at->second;
  }
  const std::string& operator[](std::uint32_t id) const { return *texts_[id]; }
  std::size_t size() const { return texts_.size(); }

 private:
  std::unordered_map<std::string, std::uint32_t> ids_;  ///< its keys do not move
  std::vector<const std::string*> texts_;
};

/// The stacks as a tree, root first, and how often each was met.
class FoldedTree {
 public:
  static constexpr std::uint32_t kRoot = 0;

  struct Node {
    std::uint32_t parent = kRoot, label = 0;
    std::uint64_t count = 0;
    bool is_stack = false;  ///< it has a count, which may be 0
  };

  std::uint32_t child(std::uint32_t parent, std::uint32_t label) {
    const std::uint64_t key = std::uint64_t{parent} << 32 | label;
    if (const std::uint32_t known = children_[key]; known != children_.kNone) return known;
    const auto made = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({parent, label});
    children_.insert(key, made);
    return made;
  }
  void add(std::uint32_t node, std::uint64_t count) {
    nodes_[node].count += count;
    nodes_[node].is_stack = true;
  }
  using Nodes = std::vector<Node, BigPages<Node>>;
  const Nodes& nodes() const { return nodes_; }  ///< parents come first

 private:
  Nodes nodes_{1};
  perf_format::IndexMap<std::uint64_t> children_;
};

/// Writes a tree's stacks in the order of their texts.
class FoldedLines {
 public:
  FoldedLines(const FoldedTree& tree, const Labels& labels, Output& out)
      : nodes_(tree.nodes()), labels_(labels), out_(out) {
    const std::vector<std::uint32_t> ranks = ranks_of_texts();
    std::vector<bool> goes_on(nodes_.size());
    for (const FoldedTree::Node& node : nodes_) goes_on[node.parent] = true;
    const auto for_each_line = [&](auto&& each) {
      for (std::uint32_t i = 1; i < nodes_.size(); ++i) {
        const std::uint32_t rank = nodes_[i].label * 2;
        if (nodes_[i].is_stack) each(nodes_[i].parent, Line{i, ranks[rank], false});
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
      text_ += labels_[nodes_[line.node].label];
      if (line.goes_on) {
        text_ += ';';
        open.push_back({starts_[line.node], starts_[line.node + 1], text_.size()});
      } else if (!put(nodes_[line.node].count)) {
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

  const FoldedTree::Nodes& nodes_;
  const Labels& labels_;
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
    std::uint32_t node = tree_.child(FoldedTree::kRoot, events_[sample.event().attr]);
    node = tree_.child(node, label_of_thread(sample));
    if (!context_.stack.empty()) {
      const std::span callers = std::span<const Address>(context_.stack).subspan(1);
      if (const auto known = callers_.find(context_.locations->whose(sample, node), callers)) {
        std::memcpy(&node, known->data(), sizeof node);
      } else {
        for (auto at = callers.rbegin(); at != callers.rend(); ++at)
          node = child(node, sample, *at);
        callers_.set({reinterpret_cast<const char*>(&node), sizeof node});
      }
      node = child(node, sample, context_.stack.front());
    }
    tree_.add(node, periods_ ? sample.period() : 1);
    return true;
  }

  void take(SampleWriter& other) override {
    auto& from = static_cast<FoldedWriter&>(other);
    if (tree_.nodes().size() == 1) {  // its own part is empty
      std::swap(tree_, from.tree_);
      return std::swap(labels_, from.labels_);
    }
    std::vector<std::uint32_t> labels;  // by the other's
    for (std::uint32_t i = 0; i < from.labels_.size(); ++i)
      labels.push_back(labels_.id(from.labels_[i]));
    std::vector<std::uint32_t> mine{FoldedTree::kRoot};  // by the other's nodes
    for (std::size_t i = 1; i < from.tree_.nodes().size(); ++i) {
      const FoldedTree::Node& node = from.tree_.nodes()[i];
      mine.push_back(tree_.child(mine[node.parent], labels[node.label]));
      if (node.is_stack) tree_.add(mine.back(), node.count);
    }
  }

  void end() override { FoldedLines(tree_, labels_, out_).write(); }

 private:
  std::uint32_t child(std::uint32_t node, const Sample& sample, Address address) {
    for (const std::uint32_t frame : labels_at(sample, address)) node = tree_.child(node, frame);
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

  std::uint32_t label_of_thread(const Sample& sample) {
    const std::string_view comm = sample.tid() ? sample.comm() : "-";
    if (comm.data() != comm_.data() || comm.size() != comm_.size()) {
      comm_ = comm;
      comm_label_ = label(comm);
    }
    return comm_label_;
  }

  /// Returns the labels of an address, outermost call first.
  std::span<const std::uint32_t> labels_at(const Sample& sample, Address address) {
    const auto make = [&](const NamedLocation& location, std::vector<std::uint32_t>& out) {
      for (auto frame = location.frames.rbegin(); frame != location.frames.rend(); ++frame) {
        std::string text;
        locations::append_label(text, location, *frame);
        out.push_back(label(text, true));
      }
    };
    return location_labels_.of(*context_.locations, sample, address, make);
  }

  FieldContext& context_;
  Output& out_;
  bool periods_;
  Labels labels_;
  FoldedTree tree_;
  locations::ByAddress<std::uint32_t> location_labels_;
  std::vector<std::uint32_t> events_;   ///< labels, by attr
  locations::RecentCallers<> callers_;  ///< nodes
  std::string_view comm_;
  std::uint32_t comm_label_ = 0;
};

}  // namespace

std::unique_ptr<SampleWriter> make_folded_writer(const WriterSetup& setup) {
  return std::make_unique<FoldedWriter>(setup);
}

}  // namespace evname::annotation
