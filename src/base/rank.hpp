// Which of the processes of a parallel job this is, as the launchers say it.
#pragma once

#include <cstdint>
#include <optional>

namespace kreplay {

/// The rank by the variables of Open MPI, PMIx, MPICH and its kin (PMI), MVAPICH2 and Slurm, in this order.
/// Slurm's is believed only inside a job step (SLURM_STEP_ID), because it is also set in a batch script that
/// runs anything else.
/// @return nothing outside of such a job, or when the value is no number
std::optional<uint64_t> job_rank();

}  // namespace kreplay
