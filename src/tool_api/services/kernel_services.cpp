#include "tool_api/services/kernel_services.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "tool_api/registry.hpp"
#include "tool_api/sdk_replay_tool.hpp"

namespace kreplay::tool_api {

KernelServices::~KernelServices() { g_kernel_services_listen.store(false); }

void KernelServices::add(std::unique_ptr<KernelRoom> room) {
  const std::lock_guard lock(mutex_);
  owned_.reserve(owned_.size() + 1);
  auto list = rooms_.load() == nullptr ? std::make_unique<Rooms>() : std::make_unique<Rooms>(*rooms_.load());
  list->push_back(room.get());
  std::stable_sort(list->begin(), list->end(),
                   [](const KernelRoom* a, const KernelRoom* b) { return a->rank() < b->rank(); });
  lists_.push_back(std::move(list));
  owned_.push_back(std::move(room));
  rooms_.store(lists_.back().get(), std::memory_order_release);
}

void KernelServices::activity_changed(const ContextSet& active) noexcept {
  bool any = false;
  if (const Rooms* rooms = rooms_.load(std::memory_order_acquire))
    for (const KernelRoom* room : *rooms) any |= active.has(room->context().index);
  g_kernel_services_listen.store(any, std::memory_order_release);
}

std::unique_ptr<RunPart> KernelServices::enter(KernelRoom& room, const KernelLaunch& launch) noexcept {
  Client& client = *room.context().client;
  if (!registry_.enter(client)) return nullptr;
  std::unique_ptr<RunPart> part;
  try {
    part = room.enter(launch);
  } catch (...) {
    log::error("services",
               "tool {}: a callback threw an exception at dispatch {}; it gets no record of this run",
               name_of(client), launch.info.dispatch_id);
  }
  registry_.leave(client);
  return part;
}

std::shared_ptr<KernelRun> KernelServices::begin(const KernelLaunch& launch,
                                                 const ReplayCall* call) noexcept {
  const Rooms* rooms = rooms_.load(std::memory_order_acquire);
  if (rooms == nullptr) return nullptr;
  std::shared_ptr<KernelRun> run;
  for (KernelRoom* room : *rooms) {
    const Context& context = room->context();
    if (call != nullptr ? !enabled_in_loop(*call, context) : !registry_.is_active(context.index)) continue;
    try {
      if (!run) run = std::make_shared<KernelRun>(*this);
      if (std::unique_ptr<RunPart> part = enter(*room, launch)) run->add(*room, std::move(part));
    } catch (...) {  // out of memory: this run goes without
    }
  }
  if (run && run->parts_.empty()) return nullptr;
  return run;
}

bool KernelServices::wait_idle(std::chrono::nanoseconds limit, bool inside) noexcept {
  std::unique_lock lock(idle_mutex_);
  return idle_.wait_for(lock, limit, [&] { return in_flight_ <= (inside ? 1 : 0); });
}

void KernelServices::ended() noexcept {
  const std::lock_guard lock(idle_mutex_);
  --in_flight_;
  idle_.notify_all();
}

// ---- one run

KernelRun::KernelRun(KernelServices& services) : services_(services) {
  const std::lock_guard lock(services_.idle_mutex_);
  ++services_.in_flight_;
}

KernelRun::~KernelRun() { services_.ended(); }

void KernelRun::add(const KernelRoom& room, std::unique_ptr<RunPart> part) {
  const auto before = part->before();
  const auto after = part->after();
  parts_.reserve(parts_.size() + 1);
  before_.insert(before_.end(), before.begin(), before.end());
  after_.insert(after_.end(), after.begin(), after.end());
  parts_.push_back({&room, std::move(part)});
}

void KernelRun::leave_packets_out() {
  before_.clear();
  after_.clear();
  for (const Entry& entry : parts_) entry.part->leave_out();
}

void KernelRun::enqueued() noexcept {
  for (const Entry& entry : parts_) {
    Client& client = *entry.room->context().client;
    if (!services_.registry_.enter(client)) continue;
    try {
      entry.part->enqueued();
    } catch (...) {
      log::error("services", "tool {}: a callback threw an exception", name_of(client));
    }
    services_.registry_.leave(client);
  }
  {
    const std::lock_guard lock(mutex_);
    enqueued_ = true;
    if (!completed_) return;
  }
  hand_over();
}

void KernelRun::completed(const report::PassTime& time) noexcept {
  {
    const std::lock_guard lock(mutex_);
    time_ = time;
    completed_ = true;
    if (!enqueued_) return;  // a short kernel: enqueued() is still at work
  }
  hand_over();
}

void KernelRun::hand_over() noexcept {
  services_.delivery_.post([self = shared_from_this()] { self->deliver(); });
}

void KernelRun::deliver() noexcept {
  const report::PassTime time = time_;  // nobody writes it any more
  for (const Entry& entry : parts_) {
    Client& client = *entry.room->context().client;
    if (!services_.registry_.enter_late(client)) continue;
    try {
      entry.part->completed(time);
    } catch (...) {
      log::error("services", "tool {}: a callback threw an exception on the thread that delivers records",
                 name_of(client));
    }
    services_.registry_.leave(client);
  }
  parts_.clear();
  const std::lock_guard lock(mutex_);
  delivered_ = true;
  changed_.notify_all();
}

bool KernelRun::wait_delivered(std::chrono::nanoseconds limit) noexcept {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [this] { return delivered_; });
}

}  // namespace kreplay::tool_api
