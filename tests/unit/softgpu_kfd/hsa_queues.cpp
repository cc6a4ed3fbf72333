// Parts about queues, barriers and signals.
#include <atomic>
#include <cstring>
#include <thread>

#include "hsa_program.hpp"

void part_barriers() {
  const Machine machine = start_hsa();
  hsa_queue_t* queue = make_queue(machine.gpus[0], 64);
  hsa_queue_t* other = make_queue(machine.gpus[0], 64);
  const hsa_signal_t a = make_signal(1);
  const hsa_signal_t b = make_signal(1);
  const hsa_signal_t and_done = make_signal(1);
  const hsa_signal_t or_done = make_signal(1);
  submit_barrier(queue, HSA_PACKET_TYPE_BARRIER_AND, {a, b}, and_done);
  submit_barrier(other, HSA_PACKET_TYPE_BARRIER_OR, {a, b}, or_done);
  hsa_signal_store_screlease(a, 0);
  wait_done(or_done);  // the queue has run since a fell, and only b holds the other barrier back
  CHECK_THAT(hsa_signal_load_scacquire(and_done) == 1);
  hsa_signal_store_screlease(b, 0);
  wait_done(and_done);

  // A chain across queues, submitted from its far end: every barrier waits for one in another queue.
  constexpr size_t kLinks = 8;
  std::vector<hsa_signal_t> chain;
  for (size_t i = 0; i <= kLinks; ++i) chain.push_back(make_signal(1));
  for (size_t i = kLinks; i > 0; --i)
    submit_barrier(make_queue(machine.gpus[0], 64), HSA_PACKET_TYPE_BARRIER_AND, {chain[i - 1]}, chain[i]);
  CHECK_THAT(hsa_signal_load_scacquire(chain[kLinks]) == 1);
  hsa_signal_store_screlease(chain[0], 0);
  wait_done(chain[kLinks]);

  // No dependency at all, and a barrier without completion signal.
  const hsa_signal_t none = make_signal(1);
  hsa_queue_t* third = make_queue(machine.gpus[0], 64);
  submit_barrier(third, HSA_PACKET_TYPE_BARRIER_OR, {}, {0});
  submit_barrier(third, HSA_PACKET_TYPE_BARRIER_AND, {}, none);
  wait_done(none);
  CHECK_THAT(hsa_queue_load_read_index_scacquire(third) == 2);
  CHECK_HSA(hsa_shut_down());
}

void part_ring_wrap() {
  const Machine machine = start_hsa();
  hsa_queue_t* queue = make_queue(machine.gpus[0], 64);
  const hsa_signal_t done = make_signal(1000);
  for (int i = 0; i < 1000; ++i) submit_barrier(queue, HSA_PACKET_TYPE_BARRIER_AND, {}, done);
  wait_done(done);
  CHECK_THAT(hsa_signal_load_scacquire(done) == 0);
  CHECK_THAT(hsa_queue_load_read_index_scacquire(queue) == 1000);
  CHECK_HSA(hsa_queue_destroy(queue));
  CHECK_HSA(hsa_shut_down());
}

void part_queue_error() {
  const Machine machine = start_hsa();
  static std::atomic<hsa_status_t> reported{HSA_STATUS_SUCCESS};
  const hsa_signal_t told = make_signal(1);
  static hsa_signal_t g_told;
  g_told = told;
  hsa_queue_t* queue = make_queue(machine.gpus[0], 64, [](hsa_status_t status, hsa_queue_t*, void*) {
    reported = status;
    hsa_signal_store_screlease(g_told, 0);
  });
  const hsa_signal_t done = make_signal(1);
  submit_barrier(queue, HSA_PACKET_TYPE_AGENT_DISPATCH, {}, done);  // no packet of a GPU queue
  wait_done(told);
  CHECK_THAT(reported == HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
  CHECK_THAT(hsa_signal_load_scacquire(done) == 1);
  CHECK_HSA(hsa_queue_destroy(queue));
  CHECK_HSA(hsa_shut_down());
}

void part_async_handler() {
  const Machine machine = start_hsa();
  hsa_queue_t* queue = make_queue(machine.gpus[0], 64);
  static std::atomic<int> calls{0};
  static hsa_signal_t g_all;
  constexpr int kHandlers = 100;
  g_all = make_signal(kHandlers);
  for (int i = 0; i < kHandlers; ++i) {
    const hsa_signal_t done = make_signal(1);
    CHECK_HSA(hsa_amd_signal_async_handler(
        done, HSA_SIGNAL_CONDITION_LT, 1,
        [](hsa_signal_value_t, void*) {
          ++calls;
          hsa_signal_subtract_screlease(g_all, 1);
          return false;
        },
        nullptr));
    submit_barrier(queue, HSA_PACKET_TYPE_BARRIER_AND, {}, done);
  }
  wait_done(g_all);
  CHECK_THAT(calls == kHandlers);
  CHECK_HSA(hsa_queue_destroy(queue));
  CHECK_HSA(hsa_shut_down());
}

void part_threads() {
  const Machine machine = start_hsa();
  std::vector<std::thread> threads;
  threads.reserve(6);
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&] {
      hsa_queue_t* queue = make_queue(machine.gpus[0], 64);
      const hsa_signal_t done = make_signal(1);
      for (int i = 0; i < 300; ++i) {
        hsa_signal_store_relaxed(done, 1);
        submit_barrier(queue, HSA_PACKET_TYPE_BARRIER_AND, {}, done);
        wait_done(done);
      }
      CHECK_HSA(hsa_signal_destroy(done));
      CHECK_HSA(hsa_queue_destroy(queue));
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_HSA(hsa_shut_down());
}

void part_queue_churn() {
  const Machine machine = start_hsa();
  for (int i = 0; i < 200; ++i) {
    hsa_queue_t* queue = make_queue(machine.gpus[0], 64);
    const hsa_signal_t done = make_signal(1);
    submit_barrier(queue, HSA_PACKET_TYPE_BARRIER_AND, {}, done);
    if (i % 2 == 0) wait_done(done);  // otherwise destroyed while the packet may still run
    CHECK_HSA(hsa_queue_destroy(queue));
    CHECK_HSA(hsa_signal_destroy(done));
  }
  CHECK_HSA(hsa_shut_down());
}
