#include "fixtures.hpp"
#include "report/short_names.hpp"
#include "report/totals.hpp"

using namespace kreplay::report;

TEST_CASE("times have three digits and a unit") {
  CHECK(human_time(0) == "0 ns");
  CHECK(human_time(7) == "7 ns");
  CHECK(human_time(7.5) == "7.50 ns");
  CHECK(human_time(999) == "999 ns");
  CHECK(human_time(999.6) == "1.00 us");
  CHECK(human_time(12345) == "12.3 us");
  CHECK(human_time(123456) == "123 us");
  CHECK(human_time(9994999) == "9.99 ms");
  CHECK(human_time(9995000) == "10.0 ms");
  CHECK(human_time(7.2e12) == "7200 s");
}

TEST_CASE("bytes have powers of 1024") {
  CHECK(human_bytes(0) == "0 B");
  CHECK(human_bytes(1023) == "1023 B");
  CHECK(human_bytes(1024) == "1.00 KiB");
  CHECK(human_bytes(1536 << 10) == "1.50 MiB");
  CHECK(human_bytes((uint64_t{1} << 40) - 1) == "1.00 TiB");
  CHECK(human_bytes(UINT64_MAX) == "16.0 EiB");
}

TEST_CASE("kernel names lose what does not tell them apart") {
  CHECK(short_name("axpy(float*, int)", 40) == "axpy");
  CHECK(short_name("void axpy<float>(float*, float*, int)", 40) == "axpy<float>");
  CHECK(short_name("ns::f(void (*)(int), g<(1)>)", 40) == "ns::f");
  CHECK(short_name("kernel_without_parameters", 40) == "kernel_without_parameters");
  CHECK(short_name("f(int) [clone .kd]", 40) == "f");
  CHECK(short_name("void very_long_namespace::gemm<float, 128, 64, tile<8, 8>>::run(int)", 40) ==
        "very_long_namespace::gemm<..>::run");
  const std::string cut = short_name(std::string(100, 'a') + std::string(100, 'b'), 40);
  CHECK(cut.size() == 40);
  CHECK(cut.find("a..b") != std::string::npos);
  CHECK(short_name("(anonymous namespace)::f(int)", 40) == "(anonymous namespace)::f");
  CHECK(short_name("", 40).empty());
  CHECK(short_name("(int)", 40) == "(int)");
}

TEST_CASE("the summary of a run") {
  Totals totals;
  for (int i = 0; i < 4; ++i) totals.add(fixtures::replayed(fixtures::kAxpy, fixtures::kPasses));
  const std::vector<PassTime> longer = {{0, 2'000'000}, {0, 2'100'000}};
  totals.add(fixtures::replayed(fixtures::kHistogram, longer));
  totals.add(fixtures::declined(fixtures::kHistogram, Reason::graph, ""));
  totals.add(fixtures::declined(fixtures::kHistogram, Reason::graph, ""));
  totals.add(fixtures::declined(fixtures::kHistogram, Reason::multi_packet, ""));
  auto stopped = fixtures::replayed(fixtures::kHistogram, {});
  stopped.outcome = Outcome::stopped;
  stopped.reason = Reason::host_write;
  stopped.unverified_bytes = 3 << 20;
  totals.add(stopped);
  DispatchRecord unknown;
  unknown.outcome = Outcome::opted_out;
  totals.add(unknown);
  // Another overload of the first kernel, and one that was only ever skipped.
  const KernelInfo overload{7, "_Z4axpyIfEvPT_S1_l", "void axpy<float>(float*, float*, long)", {}};
  totals.add(fixtures::declined(overload, Reason::budget, ""));
  totals.kernels[9].sums.skipped[static_cast<size_t>(Reason::runtime_internal)] = 12;
  totals.kernels[1].sums.skipped[static_cast<size_t>(Reason::filtered)] = 6;
  totals.sums.skipped[static_cast<size_t>(Reason::runtime_internal)] = 12;
  totals.sums.skipped[static_cast<size_t>(Reason::filtered)] = 6;
  fixtures::check_golden(format_summary(totals), "summary.txt");
}

TEST_CASE("nothing seen gives no text") { CHECK(format_summary({}).empty()); }

TEST_CASE("C68: a run that replayed nothing says so first") {
  Totals totals;
  SECTION("all declined") { totals.add(fixtures::declined(fixtures::kAxpy, Reason::budget, "")); }
  SECTION("all skipped") { totals.sums.skipped[static_cast<size_t>(Reason::filtered)] = 1; }
  const std::string text = format_summary(totals);
  CHECK(text.compare(0, 30, "kreplay: nothing was replayed:") == 0);
}

TEST_CASE("C95: memory does not grow with the number of dispatches") {
  // Times over three octaves, ten kernels; what a kernel holds is bounded by its histogram.
  Totals totals;
  std::vector<KernelInfo> kernels;
  for (uint64_t id = 0; id < 10; ++id) kernels.push_back({id, "s", "n", {}});
  for (uint64_t i = 0; i < 200'000; ++i) {
    const std::vector<PassTime> passes = {{0, 1000 + i % 7000}};
    totals.add(fixtures::replayed(kernels[i % 10], passes));
  }
  CHECK(totals.kernels.size() == 10);
  CHECK(totals.kernels.at(0).pass_ns.count() == 20'000);
  CHECK(totals.kernels.at(0).pass_ns.quantile(0.5) == Approx(4500).epsilon(0.02));
}
