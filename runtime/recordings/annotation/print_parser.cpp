// Parses print formats of tracepoints: Documentation/trace/events.rst of Linux.

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "recordings/annotation/print_format.hpp"

namespace evname::annotation {
namespace {

using perf_format::TraceField;
using Op = PrintNode::Op;
using Computed = std::optional<PrintValue>;

constexpr std::size_t kLongestFormat = 1 << 16;  ///< letters
constexpr std::uint32_t kDeepest = 100;          ///< expressions within expressions

/// Returns 64 bits that have a sign if both operands have one.
PrintValue of_both_signs(PrintValue a, PrintValue b, std::uint64_t bits) {
  return {static_cast<std::int64_t>(bits), a.is_unsigned || b.is_unsigned};
}
PrintValue truth_of(bool is) { return {is, false}; }

bool is_less_than(PrintValue a, PrintValue b) {
  return a.is_unsigned || b.is_unsigned ? a.whole() < b.whole() : a.bits < b.bits;
}

Computed divided_by(PrintValue a, PrintValue b, bool rest) {
  const bool is_unsigned = a.is_unsigned || b.is_unsigned;
  if (b.bits == 0 || (!is_unsigned && b.bits == -1 && a.bits == INT64_MIN)) return {};
  if (is_unsigned) return of_both_signs(a, b, rest ? a.whole() % b.whole() : a.whole() / b.whole());
  return PrintValue{rest ? a.bits % b.bits : a.bits / b.bits, false};
}

Computed shifted_by(PrintValue a, PrintValue b, bool left) {
  if (b.whole() >= 64) return PrintValue{0, a.is_unsigned};
  if (left) return PrintValue{static_cast<std::int64_t>(a.whole() << b.bits), a.is_unsigned};
  if (a.is_unsigned) return PrintValue{static_cast<std::int64_t>(a.whole() >> b.bits), true};
  return PrintValue{a.bits >> b.bits, false};
}

struct PrintOperator {
  std::string_view sign;
  int rank;  ///< the higher binds tighter
  Op op;
  PrintNode::Compute compute;
};
using Operand = PrintValue;

/// Longer signs come before their prefixes.
constexpr PrintOperator kPrintOperators[] = {
    {"||", 1, Op::either, nullptr},
    {"&&", 2, Op::both, nullptr},
    {"==", 6, Op::binary,
     [](Operand a, Operand b) -> Computed { return truth_of(a.bits == b.bits); }},
    {"!=", 6, Op::binary,
     [](Operand a, Operand b) -> Computed { return truth_of(a.bits != b.bits); }},
    {"<<", 8, Op::binary, [](Operand a, Operand b) { return shifted_by(a, b, true); }},
    {">>", 8, Op::binary, [](Operand a, Operand b) { return shifted_by(a, b, false); }},
    {"<=", 7, Op::binary,
     [](Operand a, Operand b) -> Computed { return truth_of(!is_less_than(b, a)); }},
    {">=", 7, Op::binary,
     [](Operand a, Operand b) -> Computed { return truth_of(!is_less_than(a, b)); }},
    {"<", 7, Op::binary,
     [](Operand a, Operand b) -> Computed { return truth_of(is_less_than(a, b)); }},
    {">", 7, Op::binary,
     [](Operand a, Operand b) -> Computed { return truth_of(is_less_than(b, a)); }},
    {"|", 3, Op::binary,
     [](Operand a, Operand b) -> Computed { return of_both_signs(a, b, a.whole() | b.whole()); }},
    {"^", 4, Op::binary,
     [](Operand a, Operand b) -> Computed { return of_both_signs(a, b, a.whole() ^ b.whole()); }},
    {"&", 5, Op::binary,
     [](Operand a, Operand b) -> Computed { return of_both_signs(a, b, a.whole() & b.whole()); }},
    {"+", 9, Op::binary,
     [](Operand a, Operand b) -> Computed { return of_both_signs(a, b, a.whole() + b.whole()); }},
    {"-", 9, Op::binary,
     [](Operand a, Operand b) -> Computed { return of_both_signs(a, b, a.whole() - b.whole()); }},
    {"*", 10, Op::binary,
     [](Operand a, Operand b) -> Computed { return of_both_signs(a, b, a.whole() * b.whole()); }},
    {"/", 10, Op::binary, [](Operand a, Operand b) { return divided_by(a, b, false); }},
    {"%", 10, Op::binary, [](Operand a, Operand b) { return divided_by(a, b, true); }},
};

PrintNode::Compute compute_of(std::string_view sign) {
  return std::ranges::find(kPrintOperators, sign, &PrintOperator::sign)->compute;
}

constexpr int kLongType = 1;  ///< as many bits as a long has

/// Types of the kernel that are not C types, and their bits; below 0: with a sign.
constexpr std::pair<std::string_view, int> kPrintTypes[] = {{"u8", 8},
                                                            {"u16", 16},
                                                            {"u32", 32},
                                                            {"u64", 64},
                                                            {"s8", -8},
                                                            {"s16", -16},
                                                            {"s32", -32},
                                                            {"s64", -64},
                                                            {"bool", 8},
                                                            {"gfp_t", 32},
                                                            {"dev_t", 32},
                                                            {"pid_t", -32},
                                                            {"short", -16},
                                                            {"char", -8},
                                                            {"int", -32},
                                                            {"sector_t", 64},
                                                            {"loff_t", -64},
                                                            {"umode_t", 16},
                                                            {"fmode_t", 32},
                                                            {"kernel_rwf_t", -32},
                                                            {"blk_opf_t", 32},
                                                            {"size_t", kLongType},
                                                            {"ssize_t", -kLongType},
                                                            {"ino_t", kLongType},
                                                            {"pgoff_t", kLongType}};

bool is_decimal(char c) { return c >= '0' && c <= '9'; }

/// Parses a format by recursive descent. After the first fault, every step fails.
class PrintParser {
 public:
  PrintParser(PrintFormat& tree, std::uint32_t long_size)
      : format_(*tree.format),
        tree_(tree),
        rest_(tree.format->print),
        long_bits_(long_size == 4 ? 32 : 64) {}

  bool parse() {
    if (rest_.size() > kLongestFormat) return false;
    std::string text;
    if (!string(text) || !read_conversions(text, long_bits_, tree_.pieces)) return false;
    for (PrintPiece& piece : tree_.pieces) {
      if (piece.conversion == 0) continue;
      if (!take(",")) return false;
      in_pointer_ = piece.conversion == 'p';
      piece.node = expression();
      if (failed_ || kind_of(piece.node) != kind_of_conversion(piece.conversion)) return false;
    }
    skip_blanks();
    return rest_.empty();
  }

 private:
  // Words.

  void skip_blanks() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\t')) rest_.remove_prefix(1);
  }
  bool take(std::string_view sign) {
    skip_blanks();
    if (!rest_.starts_with(sign)) return false;
    rest_.remove_prefix(sign.size());
    return true;
  }
  std::string_view word() {
    skip_blanks();
    std::size_t size = 0;
    while (size < rest_.size() &&
           (is_print_letter(rest_[size]) || (size > 0 && is_decimal(rest_[size]))))
      ++size;
    const std::string_view found = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return found;
  }
  std::uint32_t fail() {
    failed_ = true;
    rest_ = {};
    return 0;
  }
  bool expect(std::string_view sign) { return take(sign) || (fail(), false); }

  /// Reads a character of a literal, which may be an escape.
  bool letter(char& out) {
    if (rest_.empty()) return false;
    out = rest_[0];
    rest_.remove_prefix(1);
    if (out != '\\') return true;
    if (rest_.empty()) return false;
    constexpr std::string_view kEscapes = "nrt\\\"'", kMeant = "\n\r\t\\\"'";
    const auto at = kEscapes.find(rest_[0]);
    if (at == kEscapes.npos) return false;
    out = kMeant[at];
    rest_.remove_prefix(1);
    return true;
  }
  /// Reads one literal, or several that follow each other.
  bool string(std::string& out) {
    if (!take("\"")) return false;
    do
      while (!rest_.starts_with('"')) {
        char next;
        if (!letter(next)) return false;
        out += next;
      }
    while (rest_.remove_prefix(1), take("\""));
    return true;
  }

  // Expressions.

  std::uint32_t add(PrintNode node) {
    for (const std::uint32_t part : {node.a, node.b, node.c})
      if (part < tree_.nodes.size()) node.depth = std::max(node.depth, tree_.nodes[part].depth + 1);
    if (failed_ || node.depth > kDeepest) return fail();
    tree_.nodes.push_back(std::move(node));
    return static_cast<std::uint32_t>(tree_.nodes.size() - 1);
  }

  enum class Kind { number, text, bytes };
  Kind kind_of(std::uint32_t node) const {
    const PrintNode& one = tree_.nodes[node];
    if (one.op == Op::choose) return kind_of(one.b);
    if (one.op == Op::bytes) return Kind::bytes;
    return one.op >= Op::text ? Kind::text : Kind::number;
  }
  static Kind kind_of_conversion(char conversion) {
    return conversion == 's' ? Kind::text : conversion == 'a' ? Kind::bytes : Kind::number;
  }
  /// An expression that is a number.
  std::uint32_t number() {
    const std::uint32_t node = expression();
    return failed_ || !is_number(node) ? fail() : node;
  }
  bool is_number(std::uint32_t node) const { return kind_of(node) == Kind::number; }
  /// The value of an expression without fields; nullopt if it has constants of the kernel's
  /// headers, which the format does not define.
  std::optional<std::int64_t> constant() {
    names_constant_ = false;
    in_constant_ = true;
    const std::uint32_t node = number();
    in_constant_ = false;
    const auto value = failed_ ? std::nullopt : tree_.value(node, {}, std::endian::little);
    if (value) return value->bits;
    if (!names_constant_) fail();
    return {};
  }

  std::uint32_t expression() {
    if (++inside_ > kDeepest) return fail();
    const std::uint32_t variables_before = variables_;
    const std::uint32_t left = binary(1);
    std::uint32_t out = left;
    if (!failed_ && take("?")) {
      if (variables_ != variables_before) return fail();
      const std::uint32_t yes = expression();
      if (!expect(":")) return 0;
      const std::uint32_t no = expression();
      if (failed_ || !is_number(left) || kind_of(yes) != kind_of(no) || kind_of(yes) == Kind::bytes)
        return fail();
      out = add({.op = Op::choose, .a = left, .b = yes, .c = no});
    }
    --inside_;
    return out;
  }

  const PrintOperator* next_operator() {
    skip_blanks();
    for (const PrintOperator& one : kPrintOperators)
      if (rest_.starts_with(one.sign)) return &one;
    return nullptr;
  }

  std::uint32_t binary(int rank) {
    std::uint32_t left = unary();
    while (!failed_) {
      const PrintOperator* const next = next_operator();
      if (!next || next->rank < rank) break;
      take(next->sign);
      const std::uint32_t right = binary(next->rank + 1);
      if (failed_ || !is_number(left) || !is_number(right)) return fail();
      left = add({.op = next->op, .a = left, .b = right, .compute = next->compute});
    }
    return left;
  }

  /// Signs before an operand are operators with a constant: 0 - x, x == 0, x ^ -1.
  std::uint32_t unary() {
    constexpr struct {
      std::string_view sign, binary;
      std::int64_t constant;
      bool is_left;
    } kSigns[] = {{"-", "-", 0, true}, {"!", "==", 0, false}, {"~", "^", -1, false}};
    for (const auto& one : kSigns) {
      if (!take(one.sign)) continue;
      if (++inside_ > kDeepest) return fail();
      const std::uint32_t of = unary();
      --inside_;
      if (failed_ || !is_number(of)) return fail();
      const std::uint32_t with = add({.value = {one.constant, false}});
      return add({.op = Op::binary,
                  .a = one.is_left ? with : of,
                  .b = one.is_left ? of : with,
                  .compute = compute_of(one.binary)});
    }
    return primary();
  }

  std::uint32_t primary() {
    skip_blanks();
    if (rest_.empty()) return fail();
    if (is_decimal(rest_[0])) return literal();
    if (rest_[0] == '"') {
      PrintNode node{.op = Op::text};
      return string(node.text) ? add(std::move(node)) : fail();
    }
    if (rest_[0] == '\'') return character();
    if (take("(")) return parenthesis();
    const std::string_view name = word();
    if (name == "REC") return expect("->") ? field_named(word()) : 0;
    if (name.empty()) return fail();
    if (take("(")) return call(name);
    if (in_constant_) {
      names_constant_ = true;
      return add({.op = Op::unknown});
    }
    if (!in_pointer_) return fail();
    ++variables_;
    return add({.value = {0, true}});
  }

  std::uint32_t literal() {
    const bool is_hex = rest_.starts_with("0x") || rest_.starts_with("0X");
    const int base = is_hex ? 16 : rest_[0] == '0' ? 8 : 10;
    if (is_hex) rest_.remove_prefix(2);
    std::uint64_t number = 0;
    const auto parsed = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number, base);
    if (parsed.ec != std::errc{}) return fail();
    rest_.remove_prefix(static_cast<std::size_t>(parsed.ptr - rest_.data()));
    bool is_unsigned = number > INT64_MAX;
    for (; !rest_.empty() && std::string_view("uUlL").find(rest_[0]) != std::string_view::npos;
         rest_.remove_prefix(1))
      is_unsigned |= rest_[0] == 'u' || rest_[0] == 'U';
    return add({.value = {static_cast<std::int64_t>(number), is_unsigned}});
  }

  std::uint32_t character() {
    char one = 0;
    rest_.remove_prefix(1);
    return letter(one) && expect("'") ? add({.value = {one, false}}) : fail();
  }

  /// Reads the rest after "(": a cast to a type, or an expression.
  std::uint32_t parenthesis() {
    const std::string_view before = rest_;
    if (const auto bits = type_bits(); bits && take(")")) {
      if (++inside_ > kDeepest) return fail();
      const std::uint32_t of = unary();
      --inside_;
      if (failed_) return 0;
      if (*bits == 0) return of;  // a pointer
      return is_number(of) ? add({.op = Op::cast, .a = of, .value = {*bits, false}}) : fail();
    }
    rest_ = before;
    const std::uint32_t inner = expression();
    return expect(")") ? inner : 0;
  }

  /// Reads a type. Returns its bits, below 0 if it has a sign, 0 for a pointer; nullopt for an
  /// unknown type.
  std::optional<int> type_bits() {
    int bits = 0, longs = 0;
    bool known = false, is_unsigned = false;
    for (std::string_view name = word(); !name.empty(); name = word()) {
      if (name.starts_with("__")) name.remove_prefix(2);
      const auto row =
          std::ranges::find(kPrintTypes, name, &std::pair<std::string_view, int>::first);
      if (row != std::end(kPrintTypes))
        bits = std::abs(row->second) == kLongType ? row->second * static_cast<int>(long_bits_)
                                                  : row->second;
      else if (name == "struct" || name == "enum") {
        bits = name == "enum" ? -32 : 0;
        word();
      } else if (name == "long")
        ++longs;
      else if (name == "unsigned")
        is_unsigned = true;
      else if (name != "const" && name != "void" && name != "signed")
        return {};
      known |= bits != 0 || longs > 0 || is_unsigned || name == "signed";
    }
    if (take("*")) {
      take("*");
      return 0;
    }
    if (!known) return {};
    if (longs > 0) bits = longs > 1 ? -64 : -static_cast<int>(long_bits_);
    if (bits == 0) bits = -32;
    return is_unsigned ? std::abs(bits) : bits;
  }

  // Fields and functions.

  std::optional<std::uint32_t> index_of(std::string_view name) const {
    const auto at = std::ranges::find(format_.fields, name, &TraceField::name);
    if (name.empty() || at == format_.fields.end()) return {};
    return static_cast<std::uint32_t>(at - format_.fields.begin());
  }
  static bool is_array(const TraceField& field) {
    return field.count > 0 || field.is_dynamic || field.is_relative;
  }
  static bool has_number(std::uint32_t size) {
    return size == 1 || size == 2 || size == 4 || size == 8;
  }

  std::uint32_t field_named(std::string_view name) {
    const auto index = index_of(name);
    if (!index) return fail();
    const TraceField& field = format_.fields[*index];
    if (take("[")) {
      const std::uint32_t at = number();
      const bool good = expect("]") && field.count > 0 && has_number(field.size / field.count);
      return good ? add({.op = Op::field, .a = at, .index = *index}) : fail();
    }
    if (is_text(field)) return add({.op = Op::field_text, .index = *index});
    if (is_array(field) || !has_number(field.size)) return bytes_of_field(*index);
    return add({.op = Op::field, .index = *index});
  }

  /// An array of bytes, such as the address of a host: "saddr[4]", "saddr[sizeof(…)]".
  std::uint32_t bytes_of_field(std::uint32_t index) {
    const TraceField& field = format_.fields[index];
    const bool good =
        !field.is_dynamic && !field.is_relative && (field.count == 0 || field.count == field.size);
    return good ? add({.op = Op::bytes, .index = index}) : fail();
  }

  std::uint32_t call(std::string_view name) {
    const auto is = [&](auto... names) { return ((name == names) || ...); };
    if (is("__print_flags", "__print_flags_u64")) return names_call(Op::flags);
    if (is("__print_symbolic", "__print_symbolic_u64")) return names_call(Op::symbol);
    if (is("__builtin_expect")) {
      const std::uint32_t of = number();
      return expect(",") && (number(), expect(")")) ? of : 0;
    }
    if (!is("__get_str", "__get_rel_str")) return fail();
    const auto index = index_of(word());
    const bool good = expect(")") && index && is_text(format_.fields[*index]);
    return good ? add({.op = Op::field_text, .index = *index}) : fail();
  }

  /// The rest of "__print_flags(value, "|", { 1, "A" }, …)" or of __print_symbolic.
  std::uint32_t names_call(Op op) {
    PrintNode node{.op = op, .a = number()};
    if (op == Op::flags && (!expect(",") || !string(node.text))) return fail();
    while (!failed_ && take(",")) {
      if (!expect("{")) return 0;
      const auto value = constant();
      std::string name;
      // A list of the kernel may end with a name that is 0.
      const bool has_name = expect(",") && string(name);
      if (failed_ || (!has_name && constant() != 0) || !expect("}")) return fail();
      if (value && has_name) node.names.emplace_back(*value, std::move(name));
    }
    return expect(")") ? add(std::move(node)) : 0;
  }

  const perf_format::TraceFormat& format_;
  PrintFormat& tree_;
  std::string_view rest_;
  std::uint32_t long_bits_;
  std::uint32_t inside_ = 0;  ///< expressions that are being parsed
  bool in_constant_ = false, names_constant_ = false;
  /// A value of "%p" may depend on a variable of the kernel (vmemmap_base) that the format does not
  /// define; as in perf, it is 0.
  bool in_pointer_ = false;
  std::uint32_t variables_ = 0;  ///< of these
  bool failed_ = false;
};

}  // namespace

PrintFormat PrintFormat::parse(const perf_format::TraceFormat& format, std::uint32_t long_size) {
  PrintFormat out{&format};
  return PrintParser(out, long_size).parse() ? out : PrintFormat();
}

}  // namespace evname::annotation
