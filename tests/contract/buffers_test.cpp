// Statements S05 and S06: buffers and the threads that deliver them.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <condition_variable>
#include <thread>

#include "service_scene.hpp"

using namespace tool_test;

namespace {

/// What a buffer's callback saw, and a bar it can be held at.
struct Deliveries {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::vector<uint64_t>> batches;
  std::vector<uint64_t> dropped;
  std::vector<pthread_t> threads;
  bool held = false;
  unsigned at_bar = 0;

  void hold(bool value) {
    const std::lock_guard lock(mutex);
    held = value;
    changed.notify_all();
  }
  void wait_at_bar(unsigned count) {
    std::unique_lock lock(mutex);
    REQUIRE(changed.wait_for(lock, std::chrono::seconds(60), [&] { return at_bar >= count; }));
  }
};

void on_buffer(rocprofiler_context_id_t, rocprofiler_buffer_id_t, rocprofiler_record_header_t** headers,
               size_t n, void* data, uint64_t dropped) {
  auto& to = *static_cast<Deliveries*>(data);
  std::unique_lock lock(to.mutex);
  ++to.at_bar;
  to.changed.notify_all();
  to.changed.wait(lock, [&] { return !to.held; });
  std::vector<uint64_t> batch;
  for (size_t i = 0; i < n; ++i) batch.push_back(*static_cast<uint64_t*>(headers[i]->payload));
  to.batches.push_back(batch);
  to.dropped.push_back(dropped);
  to.threads.push_back(pthread_self());
}

void write(Buffer& buffer, const std::vector<uint64_t>& values) {
  std::vector<BufferItem> items;
  for (const uint64_t& value : values) items.push_back({3, 2, &value, sizeof value});
  buffer.write(items);
}

struct Made {
  rocprofiler_buffer_id_t id = {0};
  std::shared_ptr<Buffer> buffer;
};

/// A buffer of room for `records` values.
Made make(rocprofiler_context_id_t context, Deliveries& to, size_t records, size_t watermark,
          rocprofiler_buffer_policy_t policy) {
  Made made;
  REQUIRE(rocprofiler_create_buffer(context, records * 8, watermark, policy, on_buffer, &to, &made.id) ==
          ROCPROFILER_STATUS_SUCCESS);
  made.buffer = Registry::current().services().buffers.find(made.id);
  return made;
}

}  // namespace

TEST_CASE("S05_a_delivery_comes_at_the_watermark_in_records_and_at_a_flush_never_empty") {
  Deliveries to;
  Made made;
  ServiceScene scene(
      [&](auto context) { made = make(context, to, 100, 3, ROCPROFILER_BUFFER_POLICY_LOSSLESS); });
  write(*made.buffer, {1});
  write(*made.buffer, {2});
  CHECK(to.batches.empty());
  write(*made.buffer, {3});
  REQUIRE(rocprofiler_flush_buffer(made.id) == ROCPROFILER_STATUS_SUCCESS);
  CHECK(to.batches == std::vector<std::vector<uint64_t>>{{1, 2, 3}});
  write(*made.buffer, {4, 5});
  REQUIRE(rocprofiler_flush_buffer(made.id) == ROCPROFILER_STATUS_SUCCESS);
  REQUIRE(rocprofiler_flush_buffer(made.id) == ROCPROFILER_STATUS_SUCCESS);
  CHECK(to.batches == std::vector<std::vector<uint64_t>>{{1, 2, 3}, {4, 5}});
  CHECK_FALSE(pthread_equal(to.threads[0], pthread_self()));
}

TEST_CASE("S05_the_discard_policy_uses_both_halves_and_counts_what_it_drops") {
  Deliveries to;
  Made made;
  ServiceScene scene(
      [&](auto context) { made = make(context, to, 4, 4, ROCPROFILER_BUFFER_POLICY_DISCARD); });
  to.hold(true);
  write(*made.buffer, {1, 2, 3, 4});
  to.wait_at_bar(1);                  // the first half is being delivered
  write(*made.buffer, {5, 6, 7, 8});  // the second takes what comes meanwhile
  write(*made.buffer, {9, 10});       // for these there is no room
  CHECK(made.buffer->dropped() == 2);
  to.hold(false);
  REQUIRE(rocprofiler_flush_buffer(made.id) == ROCPROFILER_STATUS_SUCCESS);
  CHECK(to.batches == std::vector<std::vector<uint64_t>>{{1, 2, 3, 4}, {5, 6, 7, 8}});
  CHECK(to.dropped == std::vector<uint64_t>{0, 2});
  write(*made.buffer, {11});  // after a flush there is room again
  REQUIRE(rocprofiler_flush_buffer(made.id) == ROCPROFILER_STATUS_SUCCESS);
  CHECK(to.batches.back() == std::vector<uint64_t>{11});
  CHECK(to.dropped.back() == 2);
}

TEST_CASE("S05_the_lossless_policy_waits_for_room_and_loses_nothing") {
  Deliveries to;
  Made made;
  ServiceScene scene(
      [&](auto context) { made = make(context, to, 8, 1000, ROCPROFILER_BUFFER_POLICY_LOSSLESS); });
  constexpr uint64_t kThreads = 4, kEach = 500;
  std::vector<std::thread> writers;
  for (uint64_t t = 0; t < kThreads; ++t)
    writers.emplace_back([&, t] {
      for (uint64_t i = 0; i < kEach; ++i) write(*made.buffer, {t * kEach + i, t * kEach + i});
    });
  for (std::thread& writer : writers) writer.join();
  REQUIRE(rocprofiler_flush_buffer(made.id) == ROCPROFILER_STATUS_SUCCESS);
  std::vector<uint64_t> all;
  for (const auto& batch : to.batches) {
    REQUIRE(batch.size() % 2 == 0);  // groups stay together
    for (size_t i = 0; i < batch.size(); i += 2) {
      CHECK(batch[i] == batch[i + 1]);
      all.push_back(batch[i]);
    }
  }
  std::sort(all.begin(), all.end());
  CHECK(all.size() == kThreads * kEach);
  CHECK(std::unique(all.begin(), all.end()) == all.end());
  CHECK(made.buffer->dropped() == 0);
}

TEST_CASE("S05_what_is_larger_than_the_buffer_is_dropped_and_counted") {
  Deliveries to;
  Made made;
  ServiceScene scene(
      [&](auto context) { made = make(context, to, 2, 0, ROCPROFILER_BUFFER_POLICY_LOSSLESS); });
  write(*made.buffer, {1, 2, 3});
  CHECK(made.buffer->dropped() == 3);
  write(*made.buffer, {4});
  REQUIRE(rocprofiler_flush_buffer(made.id) == ROCPROFILER_STATUS_SUCCESS);
  CHECK(to.batches == std::vector<std::vector<uint64_t>>{{4}});
}

TEST_CASE("S05_answers_of_the_buffer_functions") {
  Deliveries to;
  Made made;
  ServiceScene scene([&](rocprofiler_context_id_t context) {
    made = make(context, to, 2, 0, ROCPROFILER_BUFFER_POLICY_LOSSLESS);
    rocprofiler_buffer_id_t again = made.id;
    const auto create = [&](rocprofiler_buffer_id_t* id, auto callback, int policy = 1) {
      return rocprofiler_create_buffer(context, 64, 0, static_cast<rocprofiler_buffer_policy_t>(policy),
                                       callback, nullptr, id);
    };
    CHECK(create(&again, on_buffer) == ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED);
    rocprofiler_buffer_id_t fresh = {0};
    CHECK(create(&fresh, rocprofiler_buffer_tracing_cb_t{}) == ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
    CHECK(create(&fresh, on_buffer, 0) == ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
    const auto trace = [&](rocprofiler_context_id_t id, int kind, rocprofiler_buffer_id_t buffer) {
      return rocprofiler_configure_buffer_tracing_service(
          id, static_cast<rocprofiler_buffer_tracing_kind_t>(kind), nullptr, 0, buffer);
    };
    CHECK(trace(context, ROCPROFILER_BUFFER_TRACING_MEMORY_COPY, made.id) ==
          ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED);
    CHECK(trace({5}, ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH, made.id) ==
          ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);
    CHECK(trace(context, ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH, {99}) ==
          ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND);
    CHECK(trace(context, 99, made.id) == ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND);
    CHECK(trace(context, ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH, made.id) == ROCPROFILER_STATUS_SUCCESS);
    CHECK(trace(context, ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH, made.id) ==
          ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED);
  });
  rocprofiler_buffer_id_t late = {0};
  CHECK(rocprofiler_create_buffer(scene.context, 64, 0, ROCPROFILER_BUFFER_POLICY_DISCARD, on_buffer, nullptr,
                                  &late) == ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED);
  CHECK(rocprofiler_flush_buffer({99}) == ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND);
  CHECK(rocprofiler_destroy_buffer({99}) == ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND);
  to.hold(true);
  write(*made.buffer, {1});
  to.wait_at_bar(1);
  std::thread destroyer([&] { CHECK(rocprofiler_destroy_buffer(made.id) == ROCPROFILER_STATUS_SUCCESS); });
  to.hold(false);
  destroyer.join();
  CHECK(rocprofiler_flush_buffer(made.id) == ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND);
  CHECK(to.batches.size() == 1);
  scene.registry.finalize();
  CHECK(rocprofiler_flush_buffer(made.id) == ROCPROFILER_STATUS_ERROR_FINALIZED);
}

TEST_CASE("S05_a_flush_in_finalize_delivers_the_last_records_of_dispatches") {
  std::vector<rocprofiler_buffer_tracing_kernel_dispatch_record_t> records;
  rocprofiler_buffer_id_t id = {0};
  ServiceScene scene([&](auto context) {
    REQUIRE(
        rocprofiler_create_buffer(
            context, 4096, 1000, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
            [](auto, auto, rocprofiler_record_header_t** headers, size_t n, void* data, uint64_t) {
              for (size_t i = 0; i < n; ++i) {
                CHECK(headers[i]->category == ROCPROFILER_BUFFER_CATEGORY_TRACING);
                CHECK(headers[i]->kind == ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH);
                static_cast<decltype(records)*>(data)->push_back(
                    *static_cast<rocprofiler_buffer_tracing_kernel_dispatch_record_t*>(headers[i]->payload));
              }
            },
            &records, &id) == ROCPROFILER_STATUS_SUCCESS);
    REQUIRE(rocprofiler_configure_buffer_tracing_service(context, ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH,
                                                         nullptr, 0, id) == ROCPROFILER_STATUS_SUCCESS);
  });
  scene.tools[0].on_finalize = [&] { CHECK(rocprofiler_flush_buffer(id) == ROCPROFILER_STATUS_SUCCESS); };
  scene.run({10, 20}, 7);
  scene.run({30, 40}, 8);
  CHECK(records.empty());
  scene.registry.finalize();
  REQUIRE(records.size() == 2);
  CHECK(records[0].size == 192);
  CHECK(records[0].operation == ROCPROFILER_KERNEL_DISPATCH_COMPLETE);
  CHECK(records[0].thread_id == 4242);
  CHECK(records[0].correlation_id.internal == 21);
  CHECK(records[0].start_timestamp == 10);
  CHECK(records[1].end_timestamp == 40);
  CHECK(records[1].dispatch_info.dispatch_id == 8);
  CHECK(records[1].dispatch_info.size == 72);
}

namespace {

std::vector<std::string> g_notices;

}  // namespace

TEST_CASE("S06_a_buffer_is_delivered_on_its_own_thread_and_threads_are_announced") {
  g_notices.clear();
  Deliveries one, two;
  Made first, second;
  rocprofiler_callback_thread_t thread = {0};
  ServiceScene scene([&](rocprofiler_context_id_t context) {
    CHECK(rocprofiler_at_internal_thread_create(
              [](rocprofiler_runtime_library_t library, void*) {
                CHECK(library == ROCPROFILER_LIBRARY);
                g_notices.emplace_back("before");
              },
              [](rocprofiler_runtime_library_t, void*) { g_notices.emplace_back("after"); },
              ROCPROFILER_LIBRARY | ROCPROFILER_HSA_LIBRARY, nullptr) == ROCPROFILER_STATUS_SUCCESS);
    CHECK(rocprofiler_at_internal_thread_create(
              [](rocprofiler_runtime_library_t, void*) { g_notices.emplace_back("not asked for"); }, nullptr,
              ROCPROFILER_HSA_LIBRARY, nullptr) == ROCPROFILER_STATUS_SUCCESS);
    first = make(context, one, 2, 0, ROCPROFILER_BUFFER_POLICY_LOSSLESS);
    second = make(context, two, 2, 0, ROCPROFILER_BUFFER_POLICY_LOSSLESS);
    CHECK(rocprofiler_create_callback_thread(&thread) == ROCPROFILER_STATUS_SUCCESS);
    CHECK(thread.handle > 0);
    CHECK(g_notices == std::vector<std::string>{"before", "after"});
    CHECK(rocprofiler_assign_callback_thread(second.id, {99}) == ROCPROFILER_STATUS_ERROR_THREAD_NOT_FOUND);
    CHECK(rocprofiler_assign_callback_thread({99}, thread) == ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND);
    CHECK(rocprofiler_assign_callback_thread(second.id, thread) == ROCPROFILER_STATUS_SUCCESS);
  });
  rocprofiler_callback_thread_t late = {0};
  CHECK(rocprofiler_create_callback_thread(&late) == ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED);
  CHECK(rocprofiler_assign_callback_thread(first.id, thread) ==
        ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED);
  // One that is held up does not hold up the other.
  one.hold(true);
  write(*first.buffer, {1});
  one.wait_at_bar(1);
  write(*second.buffer, {2});
  CHECK(rocprofiler_flush_buffer(second.id) == ROCPROFILER_STATUS_SUCCESS);
  CHECK(two.batches == std::vector<std::vector<uint64_t>>{{2}});
  one.hold(false);
  CHECK(rocprofiler_flush_buffer(first.id) == ROCPROFILER_STATUS_SUCCESS);
  CHECK_FALSE(pthread_equal(one.threads[0], two.threads[0]));
}

TEST_CASE("S06_a_notice_of_a_thread_may_use_the_services") {
  static rocprofiler_buffer_id_t id;
  static std::vector<int> answers;
  id = {0};
  answers.clear();
  Deliveries to;
  ServiceScene scene([&](rocprofiler_context_id_t context) {
    rocprofiler_at_internal_thread_create(
        [](rocprofiler_runtime_library_t, void*) { answers.push_back(rocprofiler_flush_buffer(id)); },
        nullptr, ROCPROFILER_LIBRARY, nullptr);
    id = make(context, to, 2, 0, ROCPROFILER_BUFFER_POLICY_LOSSLESS).id;
  });
  write(*scene.registry.services().buffers.find(id), {1});  // starts the buffer's thread
  CHECK(rocprofiler_flush_buffer(id) == ROCPROFILER_STATUS_SUCCESS);
  CHECK(answers.size() == 1);
  CHECK(to.batches == std::vector<std::vector<uint64_t>>{{1}});
}

TEST_CASE("S06_a_flush_from_the_buffer_s_own_callback_is_refused_instead_of_waiting_for_itself") {
  static rocprofiler_buffer_id_t id;
  static std::atomic<int> answer;
  id = {0};
  answer = -1;
  ServiceScene scene([&](auto context) {
    REQUIRE(rocprofiler_create_buffer(
                context, 64, 0, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
                [](auto, auto, rocprofiler_record_header_t**, size_t, void*, uint64_t) {
                  answer = rocprofiler_flush_buffer(id);
                },
                nullptr, &id) == ROCPROFILER_STATUS_SUCCESS);
  });
  write(*scene.registry.services().buffers.find(id), {1});
  CHECK(rocprofiler_flush_buffer(id) == ROCPROFILER_STATUS_SUCCESS);
  CHECK(answer == ROCPROFILER_STATUS_ERROR_BUFFER_BUSY);
}
