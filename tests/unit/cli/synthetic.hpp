// Results made up in memory, with noise as it is seen on hardware.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "cli/results.hpp"

namespace fixtures {

inline kreplay::cli::ShapeKey key(const std::string& name) { return {name, {1024, 1, 1}, {64, 1, 1}}; }

using Launches = std::vector<std::vector<double>>;  ///< pass times in ns, by launch

/// One run; kernels by name.
inline kreplay::cli::Results one_run(const std::map<std::string, Launches>& kernels) {
  kreplay::cli::Results results;
  results.processes.resize(1);
  results.processes[0].header.schema = 1;
  results.processes[0].header.machine_key = "k";
  results.processes[0].complete = true;
  results.cache_modes = {"as_is"};
  results.runs = 1;
  for (const auto& [name, launches] : kernels)
    for (const auto& passes : launches) results.samples[key(name)].add(0, passes);
  return results;
}

/// One run in which every kernel was launched once.
inline kreplay::cli::Results single(const std::map<std::string, std::vector<double>>& kernels) {
  std::map<std::string, Launches> launches;
  for (const auto& [name, passes] : kernels) launches[name] = {passes};
  return one_run(launches);
}

/// Several runs of one kernel, each with its launches.
inline kreplay::cli::Results runs(const std::string& name, const std::vector<Launches>& all) {
  kreplay::cli::Results results = one_run({});
  results.runs = all.size();
  for (size_t run = 0; run < all.size(); ++run)
    for (const auto& passes : all[run]) results.samples[key(name)].add(run, passes);
  return results;
}

/// Shapes of timing noise. All are relative to the true time.
struct Noise {
  double spread = 0.01;    ///< of single passes, lognormal
  double outliers = 0;     ///< share of passes that take up to half as long again
  double two_speeds = 0;   ///< distance of two clock states that launches are in by turns at random
  double persistence = 0;  ///< of an autoregressive part as large as `spread`, from launch to launch
  double drift = 0;        ///< of the whole run: slope of a ramp, normal, per run
  double per_run = 0;      ///< offset of a run, normal
};

/// One run of one kernel.
inline Launches noisy(std::mt19937_64& random, double true_ns, const Noise& noise, size_t launches,
                      size_t passes) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const double offset = noise.per_run * normal(random);
  const double slope = noise.drift * normal(random);
  double state = normal(random);
  Launches run(launches);
  for (size_t i = 0; i < launches; ++i) {
    state = noise.persistence * state + std::sqrt(1 - noise.persistence * noise.persistence) * normal(random);
    const double place = static_cast<double>(i) / static_cast<double>(launches);
    double shift = offset + slope * place;
    if (noise.persistence > 0) shift += noise.spread * state;
    if (uniform(random) < 0.5) shift += noise.two_speeds;
    for (size_t k = 0; k < passes; ++k) {
      double time = true_ns * std::exp(shift + noise.spread * normal(random));
      if (uniform(random) < noise.outliers) time *= 1 + 0.5 * uniform(random);
      run[i].push_back(time);
    }
  }
  return run;
}

}  // namespace fixtures
