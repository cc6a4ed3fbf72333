#include "tool_api/services/counting/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

namespace kreplay::tool_api {
namespace {

using Samples = std::vector<Sample>;
using Node = std::unique_ptr<Expression>;

class Number final : public Expression {
 public:
  explicit Number(double value) : value_(value) {}
  void names(std::vector<std::string>&) const override {}
  Result<Samples> evaluate(const Lookup&) const override { return Samples{{0, value_}}; }

 private:
  const double value_;
};

class Name final : public Expression {
 public:
  explicit Name(std::string name) : name_(std::move(name)) {}
  void names(std::vector<std::string>& out) const override { out.push_back(name_); }
  Result<Samples> evaluate(const Lookup& lookup) const override { return lookup(name_); }

 private:
  const std::string name_;
};

double apply(char op, double a, double b) {
  switch (op) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    default:
      return b == 0 ? 0 : a / b;
  }
}

class Binary final : public Expression {
 public:
  Binary(char op, Node left, Node right) : op_(op), left_(std::move(left)), right_(std::move(right)) {}
  void names(std::vector<std::string>& out) const override {
    left_->names(out);
    right_->names(out);
  }
  Result<Samples> evaluate(const Lookup& lookup) const override {
    Result<Samples> a = left_->evaluate(lookup);
    if (!a) return a;
    Result<Samples> b = right_->evaluate(lookup);
    if (!b) return b;
    const size_t count = std::max(a->size(), b->size());
    if (a->size() != b->size() && a->size() != 1 && b->size() != 1)
      return Status(Error::invalid_argument,
                    fmt::format("{} and {} values cannot be combined by {}", a->size(), b->size(), op_));
    Samples out;
    for (size_t i = 0; i < count; ++i) {
      const Sample& x = (*a)[a->size() == 1 ? 0 : i];
      const Sample& y = (*b)[b->size() == 1 ? 0 : i];
      out.push_back({a->size() >= b->size() ? x.position : y.position, apply(op_, x.value, y.value)});
    }
    return out;
  }

 private:
  const char op_;
  const Node left_, right_;
};

constexpr struct {
  const char* name;
  unsigned number;
} kDimensions[] = {{"DIMENSION_XCC", 1},          {"DIMENSION_AID", 2}, {"DIMENSION_SHADER_ENGINE", 3},
                   {"DIMENSION_SHADER_ARRAY", 5}, {"DIMENSION_WGP", 6}, {"DIMENSION_INSTANCE", 7}};

class Reduce final : public Expression {
 public:
  Reduce(Node inner, std::string op, uint64_t removed)
      : inner_(std::move(inner)), op_(std::move(op)), removed_(removed) {}
  void names(std::vector<std::string>& out) const override { inner_->names(out); }
  Result<Samples> evaluate(const Lookup& lookup) const override {
    Result<Samples> in = inner_->evaluate(lookup);
    if (!in) return in;
    std::map<uint64_t, Samples> groups;
    for (const Sample& sample : *in) groups[sample.position & ~removed_].push_back(sample);
    Samples out;
    for (const auto& [position, group] : groups) {
      double value = group.front().value;
      for (size_t i = 1; i < group.size(); ++i) {
        const double next = group[i].value;
        value = op_ == "min" ? std::min(value, next) : op_ == "max" ? std::max(value, next) : value + next;
      }
      out.push_back({position, op_ == "avr" ? value / static_cast<double>(group.size()) : value});
    }
    return out;
  }

 private:
  const Node inner_;
  const std::string op_;
  const uint64_t removed_;  ///< bits of the dimensions that go
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}
  Result<Node> whole() {
    Result<Node> node = sum();
    if (!node) return node;
    skip();
    if (at_ != text_.size()) return expected("an operator or the end");
    return node;
  }

 private:
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  Status expected(const char* what) const {
    return Status(Error::invalid_argument,
                  fmt::format("\"{}\": {} was expected at character {}", text_, what, at_ + 1));
  }
  std::string word() {
    skip();
    const size_t from = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    return std::string(text_.substr(from, at_ - from));
  }
  Result<Node> sum() { return chain("+-", &Parser::product); }
  Result<Node> product() { return chain("*/", &Parser::factor); }
  Result<Node> chain(const char* ops, Result<Node> (Parser::*next)()) {
    Result<Node> left = (this->*next)();
    while (left) {
      skip();
      if (at_ >= text_.size() || std::string_view(ops).find(text_[at_]) == std::string_view::npos) break;
      const char op = text_[at_++];
      Result<Node> right = (this->*next)();
      if (!right) return right;
      left = Node(std::make_unique<Binary>(op, std::move(*left), std::move(*right)));
    }
    return left;
  }
  Result<Node> factor() {
    if (++depth_ > kDeepest) return expected("less nesting");
    Result<Node> node = primary();
    --depth_;
    return node;
  }
  Result<Node> primary() {
    if (take('(')) {
      Result<Node> inner = sum();
      if (inner && !take(')')) return expected("\")\"");
      return inner;
    }
    const std::string name = word();
    if (name.empty()) return expected("a number, a name or \"(\"");
    if (std::isdigit(static_cast<unsigned char>(name[0])) != 0) {
      double value = 0;
      for (const char c : name) {
        if (std::isdigit(static_cast<unsigned char>(c)) == 0) return expected("a whole number");
        value = value * 10 + (c - '0');
      }
      return Node(std::make_unique<Number>(value));
    }
    if (name == "reduce") return reduce();
    if (name == "select" || name == "accumulate")
      return Status(Error::unsupported, fmt::format("\"{}\": {} is not supported", text_, name));
    return Node(std::make_unique<Name>(name));
  }
  Result<Node> reduce() {
    if (!take('(')) return expected("\"(\"");
    Result<Node> inner = sum();
    if (!inner) return inner;
    if (!take(',')) return expected("\",\"");
    const std::string op = word();
    if (op != "sum" && op != "avr" && op != "min" && op != "max") return expected("sum, avr, min or max");
    uint64_t removed = 0;
    if (take(',')) {
      if (!take('[')) return expected("\"[\"");
      do {
        const std::string dimension = word();
        const auto* found = std::find_if(std::begin(kDimensions), std::end(kDimensions),
                                         [&](const auto& row) { return dimension == row.name; });
        if (found == std::end(kDimensions)) return expected("a dimension");
        removed |= uint64_t{63} << (found->number - 1) * 6;
      } while (take(','));
      if (!take(']')) return expected("\"]\"");
    } else {
      removed = ~uint64_t{0};
    }
    if (!take(')')) return expected("\")\"");
    return Node(std::make_unique<Reduce>(std::move(*inner), op, removed));
  }

  static constexpr unsigned kDeepest = 64;
  const std::string_view text_;
  size_t at_ = 0;
  unsigned depth_ = 0;
};

}  // namespace

Result<std::unique_ptr<Expression>> Expression::parse(std::string_view text) { return Parser(text).whole(); }

}  // namespace kreplay::tool_api
