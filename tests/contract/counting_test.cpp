// Statement S10: counters, their ids and expressions, without a GPU.
#include <catch2/catch.hpp>
#include <map>

#include "service_scene.hpp"
#include "tool_api/services/counting/definitions.hpp"
#include "tool_api/services/counting/expression.hpp"

using namespace tool_test;

namespace {

/// @param values by name
double evaluate(const std::string& text, const std::map<std::string, std::vector<Sample>>& values,
                size_t count = 1, size_t at = 0) {
  auto parsed = Expression::parse(text);
  INFO(text);
  REQUIRE(parsed);
  const auto result = (*parsed)->evaluate(
      [&](const std::string& name) -> kreplay::Result<std::vector<Sample>> { return values.at(name); });
  REQUIRE(result);
  REQUIRE(result->size() == count);
  return (*result)[at].value;
}

}  // namespace

TEST_CASE("S10_expressions_keep_the_order_of_their_operands") {
  const uint64_t instance = uint64_t{1} << 36;
  const std::map<std::string, std::vector<Sample>> values = {{"A", {{0, 10}, {instance, 4}}},
                                                             {"B", {{0, 2}}}};
  CHECK(evaluate("1+2*3-4/2", {}) == 5);
  CHECK(evaluate("(1+2)*3", {}) == 9);
  CHECK(evaluate("8/4/2", {}) == 1);
  CHECK(evaluate("1/0", {}) == 0);
  CHECK(evaluate("100 / A", values, 2, 0) == 10);
  CHECK(evaluate("100 / A", values, 2, 1) == 25);
  CHECK(evaluate("B - A", values, 2, 1) == -2);
  CHECK(evaluate("A - A", values, 2, 1) == 0);
  CHECK(evaluate("reduce(A, sum)", values) == 14);
  CHECK(evaluate("reduce(A,avr)", values) == 7);
  CHECK(evaluate("reduce(A,min)*1", values) == 4);
  CHECK(evaluate("reduce(A,max,[DIMENSION_INSTANCE])", values) == 10);
  CHECK(evaluate("reduce(A,sum,[DIMENSION_SHADER_ENGINE])", values, 2, 1) == 4);
}

TEST_CASE("S10_what_is_no_expression_says_what_was_expected_where") {
  for (const char* text :
       {"", "1+", "(1", "1)", "reduce(A)", "reduce(A,most)", "reduce(A,sum,[DIMENSION_X])", "A B", "0.5",
        "-1", "select(A,[DIMENSION_XCC=[0]])", "accumulate(A,NONE)", "12abc"}) {
    INFO(text);
    const auto parsed = Expression::parse(text);
    CHECK_FALSE(parsed);
    CHECK_FALSE(parsed.status().message().empty());
  }
  CHECK_FALSE(Expression::parse(std::string(10'000, '(')));
}

TEST_CASE("S10_record_ids_hold_the_counter_and_its_position") {
  const uint64_t id = uint64_t{123} << 48 | uint64_t{8} << 36 | uint64_t{3} << 12;
  rocprofiler_counter_id_t counter = {0};
  CHECK(rocprofiler_query_record_counter_id(id, &counter) == ROCPROFILER_STATUS_SUCCESS);
  CHECK(counter.handle == 123);
  const auto position = [&](rocprofiler_counter_dimension_id_t dimension) {
    size_t at = 99;
    CHECK(rocprofiler_query_record_dimension_position(id, dimension, &at) == ROCPROFILER_STATUS_SUCCESS);
    return at;
  };
  CHECK(position(3) == 3);
  CHECK(position(7) == 8);
  CHECK(position(1) == 0);
}

TEST_CASE("S10_definitions_are_per_architecture_and_ids_fit_16_bits") {
  const CounterDefinitions& all = CounterDefinitions::current();
  const CounterDefinition* vega = all.find("gfx906", "SQ_INSTS_VMEM_WR");
  const CounterDefinition* mi200 = all.find("gfx90a", "SQ_INSTS_VMEM_WR");
  REQUIRE(vega != nullptr);
  REQUIRE(mi200 != nullptr);
  CHECK(vega->event == 27);
  CHECK(mi200->event == 53);
  CHECK(all.find("gfx906", "SQ_INSTS_MFMA") == nullptr);
  for (const char* architecture : {"gfx900", "gfx906", "gfx90a"})
    for (const CounterDefinition* each : all.of(architecture)) {
      CHECK(each->id < 65536);
      CHECK(all.find(each->id) == each);
      CHECK(all.basics(*each));
    }
  rocprofiler_counter_info_v0_t info = {};
  CHECK(rocprofiler_query_counter_info({vega->id}, ROCPROFILER_COUNTER_INFO_VERSION_0, &info) == 0);
  CHECK(std::string(info.name) == "SQ_INSTS_VMEM_WR");
  CHECK(std::string(info.block) == "SQ");
  CHECK(std::string(info.expression).empty());
  CHECK(info.is_derived == 0);
  CHECK(rocprofiler_query_counter_info({vega->id}, static_cast<rocprofiler_counter_info_version_id_t>(9),
                                       &info) == ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_ABI);
}

TEST_CASE("S10_one_context_counts_at_a_time_and_arguments_are_looked_at") {
  rocprofiler_context_id_t second = {0};
  const auto dispatch = [](rocprofiler_dispatch_counting_service_data_t, rocprofiler_counter_config_id_t*,
                           rocprofiler_user_data_t*, void*) {};
  const auto record = [](rocprofiler_dispatch_counting_service_data_t, rocprofiler_counter_record_t*, size_t,
                         rocprofiler_user_data_t, void*) {};
  ServiceScene scene([&](rocprofiler_context_id_t context) {
    REQUIRE(rocprofiler_create_context(&second) == ROCPROFILER_STATUS_SUCCESS);
    const auto ask = [&](rocprofiler_context_id_t id, bool with_record = true) {
      return rocprofiler_configure_callback_dispatch_counting_service(
          id, dispatch, nullptr, with_record ? +record : rocprofiler_dispatch_counting_record_cb_t{},
          nullptr);
    };
    CHECK(ask({5}) == ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID);
    CHECK(ask(context, false) == ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
    CHECK(rocprofiler_configure_buffer_dispatch_counting_service(context, {99}, dispatch, nullptr) ==
          ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND);
    CHECK(rocprofiler_dispatch_counting_service_set_agents(context, nullptr, 0) ==
          ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID);
    CHECK(ask(context) == ROCPROFILER_STATUS_SUCCESS);
    CHECK(ask(second) == ROCPROFILER_STATUS_SUCCESS);
    CHECK(rocprofiler_dispatch_counting_service_set_agents(context, nullptr, 0) ==
          ROCPROFILER_STATUS_SUCCESS);
  });
  CHECK(rocprofiler_start_context(scene.context) == ROCPROFILER_STATUS_SUCCESS);
  CHECK(rocprofiler_start_context(second) == ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT);
  CHECK(rocprofiler_dispatch_counting_service_set_agents(scene.context, nullptr, 0) ==
        ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT);
  CHECK(rocprofiler_stop_context(scene.context) == ROCPROFILER_STATUS_SUCCESS);
  CHECK(rocprofiler_start_context(second) == ROCPROFILER_STATUS_SUCCESS);
}
