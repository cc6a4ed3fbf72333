#include "report/short_names.hpp"

#include <catch2/catch.hpp>
#include <random>

using namespace kreplay::report;

namespace {

/// Every text is short enough and belongs to one name.
void check_short(const std::set<std::string>& names, size_t columns) {
  const auto brief = short_names(names, columns);
  REQUIRE(brief.size() == names.size());
  std::set<std::string> texts;
  for (const auto& [name, text] : brief) {
    INFO(name << " became " << text);
    CHECK(text.size() <= columns);
    CHECK(!text.empty());
    CHECK(texts.insert(text).second);
  }
}

/// As tuned matrix kernels are called: very long, and different in two of many arguments.
std::string tuned(int tile, int stages, const std::string& type) {
  return "void ck::tensor_operation::device::kernel_gemm_xdl_cshuffle<ck::GridwiseGemm<" + type +
         ", ck::tensor_layout::gemm::RowMajor, ck::tensor_layout::gemm::ColumnMajor, 256, " +
         std::to_string(tile) + ", 128, ck::Sequence<4, 64, 1>, ck::Sequence<1, 0, 2>, " +
         std::to_string(stages) + ">, true>(float const*, float const*, float*, int)";
}

}  // namespace

TEST_CASE("names that are alike keep what differs") {
  const std::string a = "void ns::gemm<float, 128, 64, tile<8, 8>, row_major>(float*, float*, float*)";
  const std::string b = "void ns::gemm<float, 256, 64, tile<8, 8>, row_major>(float*, float*, float*)";
  const std::string c = "void ns::gemm<float, 256, 64, tile<8, 16>, row_major>(float*, float*, float*)";
  CHECK(short_names({a, b}, 40).at(a) == "ns::gemm<.., 128,..>");
  CHECK(short_names({a, b}, 40).at(b) == "ns::gemm<.., 256,..>");
  const auto three = short_names({a, b, c}, 40);
  CHECK(three.at(b) == "ns::gemm<.., 256,.., tile<.., 8>,..>");
  CHECK(three.at(c) == "ns::gemm<.., 256,.., tile<.., 16>,..>");
  // Alone, nothing has to be told apart; where there is room, nothing goes.
  CHECK(short_names({a}, 40).at(a) == "ns::gemm<..>");
  CHECK(short_names({a, b}, 80).at(a) == "ns::gemm<float, 128, 64, tile<8, 8>, row_major>");
  CHECK(short_names({a, b}, 0).at(a) == a);
}

TEST_CASE("overloads and clones keep what tells them apart") {
  const std::string i = "axpy(int*)";
  const std::string f = "axpy(float*)";
  const std::string clone = "axpy(float*) [clone .kd]";
  CHECK(short_names({i}, 40).at(i) == "axpy");
  CHECK(short_names({i, f}, 40).at(f) == f);
  CHECK(short_names({"axpy", f}, 40).at(f) == f);
  CHECK(short_names({i, f, clone}, 40).at(clone) == clone);
}

TEST_CASE("lists of other lengths, other kinds of argument, variadic packs") {
  const std::set<std::string> names = {"void f<first_long_argument, float, last_long_argument_of_all>()",
                                       "void f<first_long_argument, float, int, last_long_argument_of_all>()",
                                       "void f<first_long_argument, last_long_argument_of_all>()"};
  const auto brief = short_names(names, 40);
  CHECK(brief.at(*names.begin()) == "f<.., float, int,..>");
  check_short(names, 40);
  check_short(names, 20);
}

TEST_CASE("names that differ in their middle only") {
  const std::string head(60, 'a');
  const std::string tail(60, 'z');
  const auto brief = short_names({head + "one" + tail, head + "two" + tail}, 40);
  CHECK(brief.at(head + "one" + tail).find("one") != std::string::npos);
  CHECK(brief.at(head + "two" + tail).find("two") != std::string::npos);
  // What differs is too long itself: numbers.
  const auto far = short_names({"a" + head + tail + "b", "c" + head + tail + "d"}, 20);
  CHECK(far.begin()->second != far.rbegin()->second);
  check_short({"a" + head + tail + "b", "c" + head + tail + "d"}, 20);
}

TEST_CASE("five hundred tuned kernels are told apart by what differs, at any width") {
  std::set<std::string> names;
  for (int tile = 0; tile < 25; ++tile)
    for (int stages = 0; stages < 10; ++stages)
      for (const char* type : {"float", "_Float16"}) names.insert(tuned(16 * tile, stages, type));
  REQUIRE(names.size() == 500);
  for (const size_t columns : {24, 40, 80, 120, 200}) {
    INFO(columns);
    check_short(names, columns);
  }
  const auto brief = short_names(names, 80);
  const std::string& text = brief.at(tuned(48, 7, "_Float16"));
  INFO(text);
  for (const char* part : {"_Float16", " 48", " 7", "gemm"}) CHECK(text.find(part) != std::string::npos);
  CHECK(text.find("RowMajor") == std::string::npos);
}

TEST_CASE("brackets that are no brackets, brackets that do not match") {
  check_short({"operator<(a)", "operator<<(a)", "a::operator()(int) const", "operator->*", "x->y<z>"}, 12);
  check_short({"f<(a>b)>(int)", "f<", ">", "((", "f(((((((((((((((((((((((((((((((((((((((((("}, 12);
  check_short({"{lambda(int)#1}::operator()(int) const::kernel<1, 2>", "{lambda(int)#2}::operator()(int)"},
              20);
  CHECK(short_name("(anonymous namespace)::a_long_kernel_name<int, float>(int)", 46) ==
        "(anonymous namespace)::a_long_kernel_name<..>");
}

TEST_CASE("random names never come out alike") {
  std::mt19937 random(7);
  const std::string parts[] = {"a",  "bc", "<",        ">",   "(",     ")", ",",
                               "::", " ",  "operator", "<1>", "(int)", "0", "\xc3\xa4"};
  for (int round = 0; round < 200; ++round) {
    std::set<std::string> names;
    for (int i = 0; i < 40; ++i) {
      std::string name = "k";
      for (unsigned n = random() % 30; n > 0; --n) name += parts[random() % std::size(parts)];
      names.insert(name);
    }
    check_short(names, 12 + round % 40);
  }
}
