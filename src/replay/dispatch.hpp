// One dispatch: what its packet says, whose kernel it is and what its arguments point at. Made once per
// packet; everybody who decides or acts on the dispatch asks this value.
#pragma once

#include <string>

#include "base/check.hpp"
#include "hsa/aql.hpp"
#include "replay/arguments.hpp"
#include "replay/kernels.hpp"
#include "report/outcome.hpp"

namespace kreplay::replay {

/// Threads: the submitting one. Lives on its stack while the dispatch is submitted.
struct Dispatch {
  /// @param of a kind for which hsa::is_dispatch() holds
  /// @param whose null when the kernel object is unknown
  Dispatch(const hsa::Packet& of, Kernel* whose)
      : packet(of), fields(hsa::dispatch_fields(of)), kernel(whose) {
    KR_CHECK(hsa::is_dispatch(hsa::kind_of(of.word[0])), "only a dispatch has a kernel and arguments");
  }
  Dispatch(const Dispatch&) = delete;
  Dispatch& operator=(const Dispatch&) = delete;

  const hsa::Packet packet;
  const hsa::DispatchFields fields;
  Kernel* const kernel;
  Arguments arguments;  ///< empty until look_at_arguments()

  /// Before the decision, and again when everything ahead of the dispatch has ended.
  void look_at_arguments(const snapshot::ExtentTable& extents) {
    arguments.look(kernel != nullptr && kernel->described ? &kernel->metadata : nullptr,
                   fields.kernarg_address, extents);
  }

  /// Whether the arguments point at memory that others wait for or write, so that its content cannot be put
  /// back under them: of another agent or process, or a signal.
  /// @param agent   the dispatch's own
  /// @param signals whether signals count (not with KREPLAY_HOST_WRITE=ignore)
  /// @return why it must not be replayed, with the address in `detail`; none when nothing was found
  report::Reason shares_memory(uint64_t agent, bool signals, std::string& detail) const;
};

}  // namespace kreplay::replay
