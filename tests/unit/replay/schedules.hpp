// Runs a few threads' code under every interleaving of their shared-memory operations, with a bound on how
// often a thread is interrupted.
//
// The threads are fibers of one thread. Code under test gets its atomics, futex and clock from Sync below;
// each operation is a step, and before each the explorer decides who goes next. Plain stores (anything below
// memory_order_seq_cst) stand in their thread's store buffer until they are flushed, which is a step of its
// own: what x86 may do and nothing else (TSO). Explored depth first, by running again from the start. A state
// is the memory, the buffers and, per thread, what its operations have returned so far; one that was seen
// before is not followed again (64-bit hashes). A run is as long as it is; a thread that could go on is
// interrupted at most `preemptions` times per run.
//
// Time: a bounded wait ends by itself when nothing else can happen; besides, `early` deadlines per run pass
// at any moment at which no store is buffered (a millisecond is longer than a store takes to arrive). A run
// in which time has passed everywhere and nothing changes has threads that sleep for ever.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "replay/queue_sync.hpp"

#if !defined(__x86_64__)
#error "switching between fibers is written for x86-64, whose memory model this is"
#endif

/// Leaves the running fiber, whose place is kept at `from`, for another one. Only registers that a callee
/// keeps need to be saved. (swapcontext() does the same with two system calls.)
extern "C" void kreplay_switch_fiber(void** from, void* to);
asm(R"(
.pushsection .text
.globl kreplay_switch_fiber
.type kreplay_switch_fiber, @function
kreplay_switch_fiber:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size kreplay_switch_fiber, .-kreplay_switch_fiber
.popsection
)");

namespace schedules {

inline uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = (a ^ 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9 + b;
  x = (x ^ (x >> 29)) * 0x94d049bb133111eb;
  return x ^ (x >> 32);
}

/// A word of shared memory.
struct Word {
  uint64_t value = 0;
  uint32_t id = 0;
};

class Explorer {
 public:
  struct Result {
    std::string failure;  ///< empty: nothing was found
    uint64_t runs = 0;
    uint64_t states = 0;
  };

  /// @param early  how many deadlines may pass early in a run
  /// @param plain_stores_wait  whether store buffers are explored; else stores are in the order of the
  /// program
  /// @param make   sets up shared memory and returns the threads' bodies; called for each run
  /// @param finish called when all threads of a run are done; may call fail()
  /// @param preemptions  how often a thread is interrupted that could have gone on
  Result explore(unsigned preemptions, unsigned early, bool plain_stores_wait,
                 const std::function<std::vector<std::function<void()>>()>& make,
                 const std::function<void()>& finish) {
    Result out;
    seen_.clear();
    choices_.clear();
    buffers_ = plain_stores_wait;
    do {
      ++out.runs;
      early_left_ = early;
      preemptions_left_ = preemptions;
      run(make, finish);
      if (!failure_.empty()) {
        out.failure = failure_ + trace();
        break;
      }
      if (seen_.size() > kMostStates) {
        out.failure = "more states than are looked at";
        break;
      }
      while (!choices_.empty() && choices_.back().taken + 1 == choices_.back().count) choices_.pop_back();
      if (!choices_.empty()) ++choices_.back().taken;
    } while (!choices_.empty());
    out.states = seen_.size();
    failure_.clear();
    return out;
  }

  /// Ends the run: what was found. From a thread it does not return.
  void fail(const std::string& what) {
    if (failure_.empty()) failure_ = what;
    if (current_ >= 0) stop();
  }
  int self() const { return current_; }

  // --- operations of the running thread; outside a run they act at once ---
  void add(Word& word, uint64_t value) {
    word.id = words_++;
    word.value = value;
    memory_ ^= mix(word.id, value);
  }
  uint64_t load(const Word& word) {
    if (current_ < 0) return word.value;
    step(Kind::any, "load", word.id);
    const Thread& me = threads_[static_cast<size_t>(current_)];
    for (size_t i = me.stores; i > 0; --i)
      if (me.buffer[i - 1].word == &word) return returned(me.buffer[i - 1].value);
    return returned(word.value);
  }
  void store(Word& word, uint64_t value, bool sequential) {
    if (current_ < 0) return write(word, value);
    sequential = sequential || !buffers_;
    step(sequential ? Kind::fenced : Kind::any, sequential ? "store fenced" : "store", word.id);
    Thread& me = threads_[static_cast<size_t>(current_)];
    if (sequential)
      write(word, value);
    else if (me.stores == kMostStores)
      fail("more plain stores in a row than the buffer of the model holds");
    else
      me.buffer[me.stores++] = {&word, value};
    returned(0);
  }
  /// @param change from the old value to the new one
  template <typename Change>
  uint64_t modify(Word& word, const Change& change) {
    if (current_ >= 0) step(Kind::fenced, "modify", word.id);
    const uint64_t before = word.value;
    write(word, change(before));
    return current_ < 0 ? before : returned(before);
  }
  void wait(const Word& word, uint64_t expected) {
    step(Kind::fenced, "wait", word.id);
    if (word.value == expected) {
      threads_[static_cast<size_t>(current_)].asleep_on = &word;
      step(Kind::woken, "woken", word.id);
    }
    returned(0);
  }
  void wake_all(const Word& word) {
    if (current_ < 0) return;
    step(Kind::fenced, "wake", word.id);
    for (Thread& thread : threads_)
      if (thread.asleep_on == &word) thread.asleep_on = nullptr;
    returned(0);
  }
  /// Until another thread has changed something.
  void yield() {
    step(Kind::changed, "yield", 0);
    Thread& me = threads_[static_cast<size_t>(current_)];
    me.changed = false;
    returned(0);
    // A round that changed nothing leaves the thread where it was before it.
    if (me.idle_round) me.history = me.round_began;
    me.round_began = me.history;
    me.idle_round = true;
  }
  uint64_t epoch() const { return epoch_; }
  bool passed(uint64_t since) {
    step(Kind::any, "clock", 0);
    if (since < epoch_) return returned(1) != 0;
    bool buffered = false;
    for (const Thread& thread : threads_) buffered = buffered || thread.stores != 0;
    if (early_left_ == 0 || buffered || choose(2) == 0) return returned(0) != 0;
    --early_left_;
    return returned(1) != 0;
  }
  /// Any of 0 .. count-1.
  unsigned choose(unsigned count) {
    if (next_ == choices_.size()) choices_.push_back({count, 0});
    return choices_[next_++].taken;
  }
  /// Something that may happen once early in a run, or only when nothing else can.
  bool happens() { return passed(epoch_); }

 private:
  enum class Kind : uint8_t {
    any,     ///< may be done at any time
    fenced,  ///< once the thread's buffer is empty
    woken,   ///< once it was woken, or time has passed
    changed  ///< once another thread has changed something
  };
  static constexpr size_t kMostStores = 16;
  struct Buffered {
    Word* word;
    uint64_t value;
  };
  struct Thread {
    void* stack = nullptr;  ///< where it was left
    std::function<void()> body;
    std::array<Buffered, kMostStores> buffer = {};  ///< oldest first
    size_t stores = 0;
    const Word* asleep_on = nullptr;
    Kind next = Kind::any;
    bool changed = true;
    bool started = false;
    bool done = false;
    bool idle_round = false;  ///< nothing changed by it since the last yield()
    uint64_t round_began = 0;
    uint64_t history = 0;
  };
  struct Choice {
    unsigned count;
    unsigned taken;
  };
  struct Event {
    int thread;
    const char* what;
    uint32_t word;
    uint64_t value;
  };
  static constexpr size_t kMostStates = 4'000'000;
  static constexpr size_t kStackBytes = 64 * 1024;
  struct Stack {
    alignas(64) char bytes[kStackBytes];
  };

  void write(Word& word, uint64_t value) {
    if (word.value == value) return;
    memory_ ^= mix(word.id, word.value) ^ mix(word.id, value);
    word.value = value;
    moved_ = true;
    if (current_ >= 0) threads_[static_cast<size_t>(current_)].idle_round = false;
    for (size_t i = 0; i < threads_.size(); ++i)
      if (static_cast<int>(i) != current_) threads_[i].changed = true;
  }
  uint64_t returned(uint64_t value) {
    Thread& me = threads_[static_cast<size_t>(current_)];
    me.history = mix(me.history, value + 1);
    if (!events_.empty()) events_.back().value = value;
    return value;
  }

  /// The running thread is about to do something: decides who goes on, and comes back when it is this one.
  void step(Kind kind, const char* what, uint32_t word) {
    threads_[static_cast<size_t>(current_)].next = kind;
    const int me = current_;
    decide();
    if (current_ != me) switch_from(me);
    events_.push_back({current_, what, word, 0});
  }
  bool can_go(const Thread& thread) const {
    if (thread.done) return false;
    switch (thread.next) {
      case Kind::any:
        return true;
      case Kind::fenced:
        return thread.stores == 0;
      case Kind::woken:
        return thread.asleep_on == nullptr;
      case Kind::changed:
        return thread.changed;
    }
    return false;
  }
  /// Sets current_ to who goes on; -1 when the run is over.
  void decide() {
    for (;;) {
      if (pruned()) {
        current_ = -1;
        return;
      }
      const bool stays = running_ >= 0 && can_go(threads_[static_cast<size_t>(running_)]);
      const auto may_run = [&](size_t i) {
        return can_go(threads_[i]) && (!stays || static_cast<int>(i) == running_ || preemptions_left_ > 0);
      };
      // What the running thread has stored need not arrive before another one can see it.
      const auto may_flush = [&](size_t i) {
        return threads_[i].stores != 0 && (!stays || static_cast<int>(i) != running_);
      };
      unsigned count = 0;
      for (size_t i = 0; i < threads_.size(); ++i) count += (may_run(i) ? 1u : 0u) + (may_flush(i) ? 1u : 0u);
      if (count == 0) {
        if (let_time_pass()) continue;
        current_ = -1;
        return;
      }
      unsigned pick = count == 1 ? 0 : choose(count);
      for (size_t i = 0; i < threads_.size(); ++i) {
        if (may_run(i) && pick-- == 0) {
          current_ = static_cast<int>(i);
          if (stays && current_ != running_) --preemptions_left_;
          running_ = current_;
          return;
        }
        if (may_flush(i) && pick-- == 0) {
          flush(i);
          break;
        }
      }
    }
  }
  void flush(size_t i) {
    Thread& thread = threads_[i];
    const Buffered first = thread.buffer[0];
    std::copy(thread.buffer.begin() + 1, thread.buffer.end(), thread.buffer.begin());
    --thread.stores;
    current_ = static_cast<int>(i);  // who changes it
    write(*first.word, first.value);
    events_.push_back({current_, "flush", first.word->id, first.value});
  }
  /// Nobody can go on. @return whether somebody can now
  bool let_time_pass() {
    bool all_done = true;
    for (const Thread& thread : threads_) all_done = all_done && thread.done;
    complete_ = all_done;
    if (all_done) return false;
    if (!moved_ && late_) {
      failure_ = "threads wait for ever";
      return false;
    }
    late_ = !moved_;  // first those that look again in vain, then every deadline
    if (late_) ++epoch_;
    moved_ = false;
    for (Thread& thread : threads_) {
      thread.asleep_on = nullptr;
      thread.changed = true;
    }
    return true;
  }
  bool pruned() {
    if (next_ < choices_.size()) return false;  // on the way to where the last run was left
    uint64_t state = mix(uint64_t(running_ + 1), preemptions_left_);
    state = mix(state, mix(memory_, early_left_));
    state = mix(state, mix(0, epoch_ * 4 + (moved_ ? 2 : 0) + (late_ ? 1 : 0)));
    for (const Thread& thread : threads_) {
      uint64_t own = mix(thread.history, static_cast<uint64_t>(thread.next) * 4 + (thread.started ? 2 : 0) +
                                             (thread.done ? 1 : 0));
      own = mix(own, thread.next == Kind::changed && thread.changed);
      own = mix(own, thread.asleep_on == nullptr ? 0 : thread.asleep_on->id + 1);
      for (size_t i = 0; i < thread.stores; ++i)
        own = mix(mix(own, thread.buffer[i].word->id), thread.buffer[i].value);
      state = mix(state, own);
    }
    return !seen_.insert(state).second;
  }
  void switch_from(int me) {
    void*& from = me < 0 ? main_ : threads_[static_cast<size_t>(me)].stack;
    kreplay_switch_fiber(&from, current_ < 0 ? main_ : threads_[static_cast<size_t>(current_)].stack);
  }
  void stop() {
    const int me = current_;
    current_ = -1;
    switch_from(me);
  }
  static void enter();
  void body_of_current() {
    const int me = current_;
    threads_[static_cast<size_t>(me)].started = true;
    threads_[static_cast<size_t>(me)].body();
    threads_[static_cast<size_t>(me)].done = true;
    decide();
    switch_from(me);
  }
  void run(const std::function<std::vector<std::function<void()>>()>& make,
           const std::function<void()>& finish) {
    threads_.clear();
    events_.clear();
    memory_ = 0;
    words_ = 0;
    next_ = 0;
    running_ = -1;
    epoch_ = 0;
    moved_ = true;
    late_ = complete_ = false;
    current_ = -1;
    std::vector<std::function<void()>> bodies = make();
    threads_.resize(bodies.size());
    while (stacks_.size() < bodies.size()) stacks_.push_back(std::make_unique<Stack>());
    for (size_t i = 0; i < bodies.size(); ++i) {
      threads_[i].body = std::move(bodies[i]);
      // Six registers, the address to return to, and the place a call would have left for its caller's.
      void** top = reinterpret_cast<void**>(stacks_[i]->bytes + kStackBytes) - 8;
      std::fill(top, top + 8, nullptr);
      top[6] = reinterpret_cast<void*>(&Explorer::enter);
      threads_[i].stack = top;
    }
    decide();
    if (current_ >= 0) switch_from(-1);
    current_ = -1;
    if (complete_ && failure_.empty()) finish();
  }
  std::string trace() const {
    std::string out = "\n";
    char line[96];
    for (const Event& event : events_) {
      std::snprintf(line, sizeof line, "  thread %d: %s of word %u -> %llu\n", event.thread, event.what,
                    event.word, static_cast<unsigned long long>(event.value));
      out += line;
    }
    return out;
  }

  std::vector<Thread> threads_;
  std::vector<std::unique_ptr<Stack>> stacks_;
  void* main_ = nullptr;
  int current_ = -1;
  std::vector<Choice> choices_;
  size_t next_ = 0;
  std::unordered_set<uint64_t> seen_;
  std::vector<Event> events_;
  uint64_t memory_ = 0;
  uint32_t words_ = 0;
  uint64_t epoch_ = 0;
  unsigned early_left_ = 0;
  unsigned preemptions_left_ = 0;
  int running_ = -1;  ///< the thread that made the last step
  bool buffers_ = true;
  bool moved_ = true;
  bool late_ = false;
  bool complete_ = false;  ///< all threads are done, all stores have arrived
  std::string failure_;
};

inline Explorer& explorer() {
  static Explorer it;
  return it;
}

inline void Explorer::enter() { explorer().body_of_current(); }

/// What replay::FutexSync is for the machine.
template <kreplay::replay::Mutation M>
struct Sync {
  static constexpr kreplay::replay::Mutation kMutation = M;
  static constexpr int kSpins = 0;

  template <typename T>
  class Atomic {
   public:
    Atomic(T value = T()) { explorer().add(word_, bits(value)); }
    Atomic(const Atomic&) = delete;
    Atomic& operator=(const Atomic&) = delete;
    T load(std::memory_order = std::memory_order_seq_cst) const { return from(explorer().load(word_)); }
    void store(T value, std::memory_order order = std::memory_order_seq_cst) {
      explorer().store(word_, bits(value), order == std::memory_order_seq_cst);
    }
    T exchange(T value, std::memory_order = std::memory_order_seq_cst) {
      return from(explorer().modify(word_, [&](uint64_t) { return bits(value); }));
    }
    bool compare_exchange_strong(T& expected, T value, std::memory_order = std::memory_order_seq_cst) {
      const uint64_t wanted = bits(expected);
      const uint64_t before =
          explorer().modify(word_, [&](uint64_t old) { return old == wanted ? bits(value) : old; });
      expected = from(before);
      return before == wanted;
    }
    T fetch_add(T value, std::memory_order = std::memory_order_seq_cst) {
      return from(explorer().modify(word_, [&](uint64_t old) { return bits(from(old) + value); }));
    }
    T fetch_sub(T value, std::memory_order = std::memory_order_seq_cst) {
      return from(explorer().modify(word_, [&](uint64_t old) { return bits(from(old) - value); }));
    }
    T fetch_and(T value, std::memory_order = std::memory_order_seq_cst) {
      return from(explorer().modify(word_, [&](uint64_t old) { return old & value; }));
    }
    T fetch_or(T value, std::memory_order = std::memory_order_seq_cst) {
      return from(explorer().modify(word_, [&](uint64_t old) { return old | value; }));
    }
    const Word& word() const { return word_; }

   private:
    static uint64_t bits(T value) { return (uint64_t)value; }  // NOLINT: integers and pointers alike
    static T from(uint64_t value) { return (T)value; }         // NOLINT
    Word word_;
  };

  class Deadline {
   public:
    /// @param ns 0: no time at all
    explicit Deadline(uint64_t ns) : ns_(ns), since_(explorer().epoch()) {}
    bool passed() const { return ns_ == 0 || explorer().passed(since_); }

   private:
    uint64_t ns_;
    uint64_t since_;
  };

  static void wait(const Atomic<uint32_t>& word, uint32_t expected, uint64_t) {
    explorer().wait(word.word(), expected);
  }
  static void wake_all(const Atomic<uint32_t>& word) { explorer().wake_all(word.word()); }
  static void relax() {}
  static void yield() { explorer().yield(); }
  static const void* self() { return reinterpret_cast<const void*>(uintptr_t(explorer().self()) + 1); }
};

}  // namespace schedules
