// Eight producer threads on eight queues: dispatches that are replayed and others that are not, alone and in
// batches, copies and fills, allocations and frees, queues that come and go. Each thread computes on the host
// what its buffers must hold and compares after every round; a counter that all threads add to is compared at
// the end.
//
//   stress [--seed N] [--seconds S | --rounds N] [--threads N] [--queues N]
//
// Prints the seed, the rounds and a checksum over all final buffers: the same seed and rounds give the same
// checksum whatever stands below or above. With --seconds resident memory is compared between the end of the
// warm-up (a third of the time) and the end. Exit status: 0 all equal and flat, 1 not, 2 a call failed, 3 a
// wait did.
#include "stress/producer.hpp"

#include <unistd.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <shared_mutex>

namespace {

using stress::SharedQueue;
using Packet = SharedQueue::Packet;
using Clock = std::chrono::steady_clock;

struct Settings {
  uint64_t seed = 1;
  double seconds = 0;
  uint64_t rounds = 100;
  unsigned threads = 8;
  unsigned queues = 8;
};

uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

struct World {
  e2e::Agents agents;
  e2e::Kernel in_place, append, count_up, bump_table;
  /// Queues may be replaced while nobody submits to them.
  struct Place {
    std::shared_mutex mutex;
    std::unique_ptr<SharedQueue> queue;
  };
  std::vector<std::unique_ptr<Place>> places;
  std::atomic<uint64_t> counted{0};  ///< what count_up launches were asked to add

  void submit(unsigned place, const std::vector<Packet>& packets) {
    const std::shared_lock lock(places[place]->mutex);
    places[place]->queue->submit(packets);
  }
  /// Ends and remakes a queue; threads that submit to it wait meanwhile.
  void churn(unsigned place) {
    Place& p = *places[place];
    const std::unique_lock lock(p.mutex);
    const hsa_signal_t done = e2e::make_signal(1);
    p.queue->submit({Packet::barrier({}, done)});
    e2e::wait_below(done, 1, "a queue to drain");
    HSA_OK(hsa_signal_destroy(done));
    p.queue = std::make_unique<SharedQueue>(agents);
  }
};

/// One thread's buffers, on the device and as they must be.
class Producer {
 public:
  Producer(World& world, uint64_t seed) : world_(world), random_(seed) {
    for (unsigned i = 0; i < kBuffers; ++i) {
      count_[i] = 200 + static_cast<unsigned>(random_.next() % 1800);
      values_[i] = e2e::random_values<unsigned>(count_[i], random_.next());
      device_[i] = make(count_[i]);
      copy_in(device_[i], values_[i]);
    }
  }
  ~Producer() {
    for (unsigned* data : device_) HSA_OK(hsa_amd_memory_pool_free(data));
    if (staging_ != nullptr) HSA_OK(hsa_amd_memory_pool_free(staging_));
  }

  /// @return whether all buffers hold what they must
  bool round() {
    for (int step = 0; step < 4; ++step) {
      switch (random_.next() % 8) {
        case 0:
        case 1:
          alone();
          break;
        case 2:
          batch();
          break;
        case 3:
          copies();
          break;
        case 4:
          replace();
          break;
        case 5:
          table();
          break;
        case 6:
          count();
          break;
        case 7:
          if (random_.next() % 4 == 0)
            world_.churn(place());
          else
            chain();
          break;
      }
    }
    return compare();
  }

  /// FNV over the final buffers.
  uint64_t checksum() {
    uint64_t sum = 0;
    for (unsigned i = 0; i < kBuffers; ++i)
      sum = sum * 31 + e2e::checksum(values_[i].data(), values_[i].size() * sizeof(unsigned));
    return sum;
  }

 private:
  static constexpr unsigned kBuffers = 3;

  unsigned place() { return static_cast<unsigned>(random_.next() % world_.places.size()); }
  unsigned buffer() { return static_cast<unsigned>(random_.next() % kBuffers); }
  unsigned* make(unsigned count) {
    return e2e::allocate<unsigned>(world_.agents, world_.agents.device, count);
  }
  static uint32_t items(unsigned count) { return (count + 63) / 64 * 64; }

  void finish(hsa_signal_t done) {
    e2e::wait_below(done, 1, "a step");
    HSA_OK(hsa_signal_destroy(done));
  }
  Packet in_place(unsigned x, unsigned y, hsa_signal_t done) {
    const unsigned count = std::min(count_[x], count_[y]);
    for (unsigned i = 0; i < count; ++i) values_[x][i] = values_[x][i] * 3u + values_[y][i];
    return Packet::dispatch(world_.in_place, items(count), done, device_[x], device_[y], count);
  }

  /// Single submissions, one signal for several.
  void alone() {
    const unsigned n = 1 + random_.next() % 3;
    const hsa_signal_t done = e2e::make_signal(n);
    const unsigned at = place();
    for (unsigned i = 0; i < n; ++i) world_.submit(at, {in_place(buffer(), buffer(), done)});
    finish(done);
  }
  /// Several packets under one doorbell, a barrier among them.
  void batch() {
    const unsigned n = 2 + random_.next() % 6;
    const hsa_signal_t done = e2e::make_signal(n + 1);
    std::vector<Packet> packets;
    for (unsigned i = 0; i < n; ++i) {
      packets.push_back(in_place(buffer(), buffer(), done));
      if (i == n / 2) packets.push_back(Packet::barrier({}, done));
    }
    world_.submit(place(), packets);
    finish(done);
  }
  /// Two queues, tied by a signal that the first one brings down.
  void chain() {
    const hsa_signal_t first = e2e::make_signal(1);
    const hsa_signal_t done = e2e::make_signal(1);
    const unsigned x = buffer();
    const unsigned y = buffer();
    world_.submit(place(), {in_place(x, y, first)});
    const unsigned second = place();
    // Under one lock: whoever replaces the queue must not come between the two.
    world_.submit(second, {Packet::barrier(first, {}), in_place(x, y, done)});
    e2e::wait_below(done, 1, "a chain");
    HSA_OK(hsa_signal_destroy(first));
    HSA_OK(hsa_signal_destroy(done));
  }
  /// Device to device, with a dispatch before that it depends on; then a fill of the front.
  void copies() {
    const unsigned from = buffer();
    const unsigned to = (from + 1) % kBuffers;
    const unsigned count = std::min(count_[from], count_[to]);
    const hsa_signal_t ran = e2e::make_signal(1);
    world_.submit(place(), {in_place(from, to, ran)});
    const hsa_signal_t done = e2e::make_signal(1);
    HSA_OK(hsa_amd_memory_async_copy(device_[to], world_.agents.gpu, device_[from], world_.agents.gpu,
                                     count * sizeof(unsigned), 1, &ran, done));
    finish(done);
    HSA_OK(hsa_signal_destroy(ran));
    std::copy_n(values_[from].begin(), count, values_[to].begin());
    const auto value = static_cast<uint32_t>(random_.next());
    HSA_OK(hsa_amd_memory_fill(device_[to], value, 32));
    std::fill_n(values_[to].begin(), 32, value);
  }
  /// A buffer moves to fresh memory, which may be where another one was.
  void replace() {
    const unsigned at = buffer();
    unsigned* fresh = make(count_[at]);
    const hsa_signal_t done = e2e::make_signal(1);
    HSA_OK(hsa_amd_memory_async_copy(fresh, world_.agents.gpu, device_[at], world_.agents.gpu,
                                     count_[at] * sizeof(unsigned), 0, nullptr, done));
    finish(done);
    HSA_OK(hsa_amd_memory_pool_free(device_[at]));
    device_[at] = fresh;
  }
  /// Memory reached through a table in memory.
  void table() {
    unsigned** table = e2e::allocate<unsigned*>(world_.agents, world_.agents.host, kBuffers);
    for (unsigned i = 0; i < kBuffers; ++i) table[i] = device_[i];
    const hsa_signal_t done = e2e::make_signal(1);
    world_.submit(place(), {Packet::dispatch(world_.bump_table, 64, done, table, unsigned{kBuffers})});
    finish(done);
    for (auto& values : values_) ++values[0];
    HSA_OK(hsa_amd_memory_pool_free(table));
  }
  /// A device variable that all threads add to; no signal of its own.
  void count() {
    const auto by = static_cast<unsigned>(random_.next() % 1000);
    world_.counted += uint64_t{by} * 64;
    world_.submit(place(), {Packet::dispatch(world_.count_up, 64, {}, by)});
  }

  void copy_in(unsigned* to, const std::vector<unsigned>& values) {
    reserve(values.size());
    std::copy(values.begin(), values.end(), staging_);
    const hsa_signal_t done = e2e::make_signal(1);
    HSA_OK(hsa_amd_memory_async_copy(to, world_.agents.gpu, staging_, world_.agents.cpu,
                                     values.size() * sizeof(unsigned), 0, nullptr, done));
    finish(done);
  }
  bool compare() {
    bool same = true;
    for (unsigned i = 0; i < kBuffers; ++i) {
      reserve(count_[i]);
      const hsa_signal_t done = e2e::make_signal(1);
      HSA_OK(hsa_amd_memory_async_copy(staging_, world_.agents.cpu, device_[i], world_.agents.gpu,
                                       count_[i] * sizeof(unsigned), 0, nullptr, done));
      finish(done);
      for (unsigned k = 0; k < count_[i]; ++k)
        if (staging_[k] != values_[i][k]) {
          std::printf("error buffer %u of %u elements: [%u] is %u, want %u\n", i, count_[i], k, staging_[k],
                      values_[i][k]);
          same = false;
          break;
        }
    }
    return same;
  }
  void reserve(size_t count) {
    if (count <= staging_count_) return;
    if (staging_ != nullptr) HSA_OK(hsa_amd_memory_pool_free(staging_));
    staging_count_ = 2048;
    staging_ = e2e::allocate<unsigned>(world_.agents, world_.agents.host, staging_count_);
  }

  World& world_;
  e2e::Random random_;
  unsigned count_[kBuffers] = {};
  std::vector<unsigned> values_[kBuffers];
  unsigned* device_[kBuffers] = {};
  unsigned* staging_ = nullptr;
  size_t staging_count_ = 0;
};

bool parse(int argc, char** argv, Settings& settings) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const double value = std::strtod(argv[i + 1], nullptr);
    if (name == "--seed")
      settings.seed = std::strtoull(argv[i + 1], nullptr, 10);
    else if (name == "--seconds")
      settings.seconds = value;
    else if (name == "--rounds")
      settings.rounds = static_cast<uint64_t>(value);
    else if (name == "--threads")
      settings.threads = static_cast<unsigned>(value);
    else if (name == "--queues")
      settings.queues = static_cast<unsigned>(value);
    else
      return false;
  }
  return argc % 2 == 1 && settings.threads > 0 && settings.queues > 0;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  if (!parse(argc, argv, settings)) {
    std::fprintf(stderr, "usage: stress [--seed N] [--seconds S | --rounds N] [--threads N] [--queues N]\n");
    return 2;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  HSA_OK(hsa_init());
  World world;
  world.agents = e2e::find_agents();
  int status = 0;
  {
    const e2e::CodeObject code(world.agents);
    world.in_place = code.kernel("in_place");
    world.count_up = code.kernel("count_up");
    world.bump_table = code.kernel("bump_table");
    for (unsigned i = 0; i < settings.queues; ++i) {
      world.places.push_back(std::make_unique<World::Place>());
      world.places.back()->queue = std::make_unique<SharedQueue>(world.agents);
    }
    // All threads stop after the same round, so that rounds alone repeat a run that was limited by time.
    std::atomic<uint64_t> last{settings.seconds > 0 ? UINT64_MAX : settings.rounds};
    std::atomic<uint64_t> furthest{0};
    std::atomic<bool> wrong{false};
    std::vector<uint64_t> sums(settings.threads);
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < settings.threads; ++t)
      threads.emplace_back([&, t] {
        Producer producer(world, settings.seed * 1000 + t);
        for (uint64_t round = 0; round < last.load() && !wrong.load(); ++round) {
          uint64_t seen = furthest.load();
          while (seen < round + 1 && !furthest.compare_exchange_weak(seen, round + 1)) {
          }
          if (!producer.round()) {
            std::printf("error thread %u, round %llu\n", t, static_cast<unsigned long long>(round));
            wrong = true;
          }
        }
        sums[t] = producer.checksum();
      });
    uint64_t warm_bytes = 0;
    if (settings.seconds > 0) {
      const auto pause = [](double seconds) {
        std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
      };
      pause(settings.seconds / 3);
      warm_bytes = resident_bytes();
      pause(settings.seconds * 2 / 3);
      last = furthest.load() + 10;  // far enough ahead that nobody is past it yet
    }
    for (auto& thread : threads) thread.join();
    const uint64_t end_bytes = resident_bytes();

    for (auto& place : world.places) {
      const hsa_signal_t done = e2e::make_signal(1);
      place->queue->submit({Packet::barrier({}, done)});
      e2e::wait_below(done, 1, "the end");
      HSA_OK(hsa_signal_destroy(done));
    }
    const unsigned counter =
        e2e::from_device(world.agents, static_cast<const unsigned*>(code.variable("counter")), 1)[0];
    uint64_t sum = counter;
    for (const uint64_t each : sums) sum = sum * 31 + each;
    if (counter != static_cast<unsigned>(world.counted.load())) {
      std::printf("error the counter is %u, want %u\n", counter, static_cast<unsigned>(world.counted.load()));
      wrong = true;
    }
    // Four MiB are what allocators and the runtime's own pools may differ by.
    if (warm_bytes != 0 && end_bytes > warm_bytes + warm_bytes / 20 + (4u << 20)) {
      std::printf("error resident memory grew from %llu to %llu bytes after the warm-up\n",
                  static_cast<unsigned long long>(warm_bytes), static_cast<unsigned long long>(end_bytes));
      wrong = true;
    }
    std::fprintf(stderr, "resident bytes: %llu after the warm-up, %llu at the end\n",
                 static_cast<unsigned long long>(warm_bytes), static_cast<unsigned long long>(end_bytes));
    std::printf("seed %llu rounds %llu checksum %016llx\n", static_cast<unsigned long long>(settings.seed),
                static_cast<unsigned long long>(last.load()), static_cast<unsigned long long>(sum));
    world.places.clear();
    status = wrong.load() ? 1 : 0;
  }
  HSA_OK(hsa_shut_down());
  return status;
}
