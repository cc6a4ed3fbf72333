// Reads result files (docs/results.md) back, line by line. What becomes of the lines is up to a visitor, so a
// file of any length is read in memory that does not grow with the number of its dispatches.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "report/outcome.hpp"

namespace kreplay::cli {

struct HeaderLine {
  std::string path;  ///< of the file
  uint64_t schema = 0;
  std::string producer, host, program, start, tool, machine_key;
  uint64_t pid = 0, start_unix_ns = 0;
  std::map<std::string, std::string> machine;  ///< facts behind the key
  std::map<std::string, std::string> options;  ///< KREPLAY_* that were set
  std::map<std::string, std::string> runtime;  ///< library to path or version
  std::optional<uint64_t> rank;                ///< in a parallel job
};

struct KernelLine {
  uint64_t id = 0;
  std::string symbol, name;
  /// What the code object says of the kernel (registers, LDS, hash, ...): every other member of the line that
  /// is a number or a text, by name.
  std::map<std::string, std::string> facts;
};

struct DispatchLine {
  /// `kernel` is unset; texts and passes point into this object.
  report::DispatchRecord record;
  const KernelLine* kernel = nullptr;  ///< null when the kernel is unknown
  std::vector<report::PassTime> passes;
  std::string detail, tier, cache, launch_site;
  std::string passes_end;  ///< as it is written; empty in files that do not say
  bool has_lds = false;    ///< the line says how much LDS the launch asked for
};

struct TrailerLine {
  uint64_t end_unix_ns = 0;
  std::map<report::Reason, uint64_t> skipped;
  uint64_t lines_lost = 0;
};

/// Called in the order of the file. References are valid during the call, those to kernels until the next
/// header.
class ResultVisitor {
 public:
  virtual ~ResultVisitor() = default;
  virtual void header(const HeaderLine& line) = 0;
  virtual void kernel(const KernelLine& /*line*/) {}
  virtual void dispatch(const DispatchLine& line) = 0;
  /// Absent where a process was killed, left through _exit, or still runs.
  virtual void trailer(const TrailerLine& /*line*/) {}
};

/// One sentence per oddity: a part without a trailer, lines that could not be understood.
using Notes = std::vector<std::string>;

/// Reads one file; a file may hold several processes, each from its header to its trailer.
/// @param path "-" is standard input; what is compressed with gzip is decompressed, whatever its name
/// @return Error::io when it cannot be read; invalid_argument when it is empty, not a result file, or of a
///         schema this program does not know
Status read_result_file(const std::string& path, ResultVisitor& visitor, Notes* notes);

}  // namespace kreplay::cli
