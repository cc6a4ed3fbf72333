// Result files: what was read can be asked for, and says where it cannot be understood.
#include "cli/result_reader.hpp"
#include "fuzz/fuzz.hpp"

namespace {

class Visitor final : public kreplay::cli::ResultVisitor {
 public:
  void header(const kreplay::cli::HeaderLine& line) override {
    ++headers;
    used += line.host.size() + line.options.size();
  }
  void kernel(const kreplay::cli::KernelLine& line) override { used += line.name.size() + line.facts.size(); }
  void dispatch(const kreplay::cli::DispatchLine& line) override {
    FUZZ_CHECK(headers != 0);
    FUZZ_CHECK(line.record.passes == nullptr || line.passes.size() == line.record.passes_run);
    FUZZ_CHECK(line.record.warmup <= line.record.passes_run);
    for (const auto& pass : line.passes) used += pass.end_ns - pass.start_ns;
    used += line.record.detail.size() + (line.kernel == nullptr ? 0 : line.kernel->name.size());
  }
  void trailer(const kreplay::cli::TrailerLine& line) override { used += line.skipped.size(); }

  uint64_t headers = 0, used = 0;
};

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const fuzz::File file(data, size);
  Visitor visitor;
  kreplay::cli::Notes notes;
  const kreplay::Status status = kreplay::cli::read_result_file(file.path(), visitor, &notes);
  if (status.ok()) FUZZ_CHECK(visitor.headers != 0);
  if (!status.ok()) FUZZ_CHECK(!status.message().empty());
  return 0;
}
