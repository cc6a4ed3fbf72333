// Queues whose real ring was full when something was published: nobody may ring or look at the read index
// again (a program that only waits for its last signal), so a thread of ours tries again until they are
// served. There is one for all; it is started when a ring stalls and ends when none does.
#pragma once

namespace kreplay::intercept {

class ProxyQueue;

/// A queue's place in the list, inside the queue: nothing is allocated for it.
struct StallEntry {
  ProxyQueue* next = nullptr;
  bool listed = false;
};

namespace stall_watch {

/// Tries `proxy` again until it is not stalled. Keeps errno. Threads: any that has no queue in its hands.
void add(ProxyQueue& proxy) noexcept;
/// Before `proxy` is destroyed: waits while it is being tried, which blocks on nothing of the application's.
void remove(ProxyQueue& proxy) noexcept;
/// Before the runtime takes the real rings away: as remove(), for all.
void remove_all() noexcept;

}  // namespace stall_watch

}  // namespace kreplay::intercept
