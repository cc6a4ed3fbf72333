#include "replay/dependency.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "replay/agent.hpp"

namespace kreplay::replay {

using hsa::Dependency;
using hsa::DependencyMode;
using hsa::Packet;

namespace {

/// How many decrements are needed; negative when decrements cannot do it.
int64_t needed(const Dependency& dependency, int64_t value) {
  if (hsa::satisfied(dependency, value)) return 0;
  if (dependency.mask != -1) return 1;
  switch (dependency.condition) {
    case HSA_SIGNAL_CONDITION_EQ:
      return value > dependency.value ? value - dependency.value : -1;
    case HSA_SIGNAL_CONDITION_LT:
      return value - dependency.value + 1;
    case HSA_SIGNAL_CONDITION_NE:
      return 1;
    case HSA_SIGNAL_CONDITION_GTE:
      return -1;
  }
  return -1;
}

/// For messages. 0 when there is none.
int64_t value_of(hsa_signal_t signal) {
  return signal.handle == 0 ? 0 : device::application_signal_value(signal).value_or(0);
}

}  // namespace

/// Whether the packet at `index` may still be running. Taken barriers are over; of taken dispatches only
/// those above `floor` can still run.
bool LookAhead::View::uncompleted(uint64_t index) const {
  return index >= read || hsa::is_dispatch(queue->ring.kind_at(index));
}

LookAhead::View LookAhead::make_view(const Queue* queue) {
  View view{queue, 0, queue->ring.read_index(), queue->ring.write_index(), 0};
  view.floor = queue->idle_at.load(std::memory_order_acquire);
  if (view.write > queue->ring.size()) view.floor = std::max(view.floor, view.write - queue->ring.size());
  view.read = std::min(view.read, view.write);
  for (uint64_t i = view.read; i > view.floor; --i)
    if (queue->ring.barrier_at(i - 1)) {
      view.floor = i - 1;  // a barrier bit: everything before it was complete when it started
      break;
    }
  view.stuck = view.write;
  return view;
}

bool LookAhead::may_be_carried(const std::vector<Queue*>& all, hsa_signal_t signal) {
  for (const Queue* queue : all) {
    if (!queue->ring.readable()) continue;
    const View view = make_view(queue);
    for (uint64_t i = view.floor; i < view.write; ++i)
      if (view.uncompleted(i) && hsa::completion_signal(queue->ring.packet_at(i)).handle == signal.handle)
        return true;
  }
  return false;
}

int64_t LookAhead::carriers(hsa_signal_t signal) const {
  int64_t count = 0;
  for (const View& view : views_)
    for (uint64_t i = running_ ? view.floor : view.read; i < view.stuck; ++i)
      if (view.uncompleted(i) &&
          hsa::completion_signal(view.queue->ring.packet_at(i)).handle == signal.handle)
        ++count;
  for (size_t i = 0; i < copies_->size(); ++i)
    if (copy_stuck_[i] == 0 && (*copies_)[i].completion.handle == signal.handle) ++count;
  return count;
}

bool LookAhead::satisfiable(const Dependency& dependency) const {
  const std::optional<int64_t> value = device::application_signal_value(dependency.signal);
  if (!value) return true;  // destroyed: the packet has been processed since we read it
  const int64_t missing = needed(dependency, *value);
  if (missing <= 0) return missing == 0;
  return carriers(dependency.signal) >= missing;
}

bool LookAhead::packet_blocked(const Packet& packet, Dependency& blocking) const {
  Dependency list[5];
  DependencyMode mode;
  const size_t count = hsa::dependencies(packet, list, mode);
  bool any_ok = count == 0;
  for (size_t i = 0; i < count; ++i) {
    if (satisfiable(list[i])) {
      any_ok = true;
      continue;
    }
    blocking = list[i];
    if (mode == DependencyMode::all) return true;
  }
  return !any_ok;
}

bool LookAhead::copy_blocked(const CopyFence::Pending& copy, hsa_signal_t& signal) const {
  for (const hsa_signal_t dependency : copy.dependencies)
    if (dependency.handle != 0 && !satisfiable(Dependency{dependency})) {
      signal = dependency;
      return true;
    }
  return false;
}

Waits LookAhead::waits(const Packet& packet) const {
  if (kernels_ == nullptr || !hsa::is_dispatch(hsa::kind_of(packet.word[0]))) return Waits::no;
  const Kernel* kernel = kernels_->find(hsa::dispatch_fields(packet).kernel_object);
  if (kernel == nullptr) return Waits::no;
  if (kernel->waits_on_memory) return Waits::on_memory;
  return kernel->learned.load(std::memory_order_relaxed) ? Waits::perhaps : Waits::no;
}

/// Marks what cannot finish until nothing changes. Ends: each round marks at least one more.
void LookAhead::mark_stuck() {
  for (bool changed = true; changed;) {
    changed = false;
    for (View& view : views_)
      for (uint64_t i = view.floor; i < view.stuck; ++i) {
        const Packet packet = view.queue->ring.packet_at(i);
        Dependency blocking;
        // A dispatch that was taken runs on; what it waits for is no signal we could look at.
        const bool endless = view.uncompleted(i) && waits(packet) != Waits::no;
        if (!endless && (i < view.read || !packet_blocked(packet, blocking))) continue;
        view.stuck = i;
        changed = true;
      }
    for (size_t i = 0; i < copies_->size(); ++i) {
      hsa_signal_t signal;
      if (copy_stuck_[i] != 0 || !copy_blocked((*copies_)[i], signal)) continue;
      copy_stuck_[i] = 1;
      changed = true;
    }
  }
}

std::optional<Blocked> LookAhead::find_blocked(const std::vector<Queue*>& all,
                                               const std::vector<Queue*>& targets,
                                               const std::vector<CopyFence::Pending>& copies,
                                               const std::vector<Agent*>& agents, bool running,
                                               const Packet* next) {
  running_ = running;
  views_.clear();
  for (const Queue* queue : all)
    if (queue->ring.readable()) views_.push_back(make_view(queue));
  copies_ = &copies;
  copy_stuck_.assign(copies.size(), 0);
  mark_stuck();
  for (const View& view : views_) {
    if (view.stuck == view.write) continue;
    if (std::find(targets.begin(), targets.end(), view.queue) == targets.end()) continue;
    Dependency blocking;
    const Packet packet = view.queue->ring.packet_at(view.stuck);
    (void)packet_blocked(packet, blocking);
    return Blocked{view.queue, false, view.stuck, blocking.signal, value_of(blocking.signal), waits(packet)};
  }
  for (size_t i = 0; i < copies.size(); ++i) {
    if (copy_stuck_[i] == 0 || std::none_of(agents.begin(), agents.end(), [&](const Agent* agent) {
          return copies[i].agents.touch(agent->handle().handle);
        }))
      continue;
    hsa_signal_t signal = {0};
    (void)copy_blocked(copies[i], signal);
    return Blocked{nullptr, false, 0, signal, value_of(signal), Waits::no};
  }
  if (Dependency blocking; next != nullptr && packet_blocked(*next, blocking))
    return Blocked{nullptr, true, 0, blocking.signal, value_of(blocking.signal), Waits::no};
  return std::nullopt;
}

std::string Blocked::describe() const {
  if (next)
    return fmt::format("it waits itself for signal 0x{:x} (value {}), which nothing submitted will complete",
                       signal.handle, value);
  if (queue == nullptr)
    return fmt::format("a copy waits for signal 0x{:x} (value {}), which nothing submitted will complete",
                       signal.handle, value);
  if (waits == Waits::perhaps)
    return fmt::format("queue {}: packet {} is of a kernel that did not end in time before", queue->id(),
                       index);
  if (signal.handle == 0)
    return fmt::format("queue {}: packet {} waits for a value in memory (hipStreamWaitValue)", queue->id(),
                       index);
  return fmt::format(
      "queue {}: packet {} waits for signal 0x{:x} (value {}), which nothing submitted will complete",
      queue->id(), index, signal.handle, value);
}

}  // namespace kreplay::replay
