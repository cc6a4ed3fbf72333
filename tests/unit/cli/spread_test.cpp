// Expected values of the prior: limma 3.54.1 (R 4.2), squeezeVar(s2, df)$df.prior and $var.prior.
#include "cli/spread.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace kreplay::cli;

namespace {

std::vector<Spread> spreads(const std::vector<double>& variances, const std::vector<double>& freedoms) {
  std::vector<Spread> out;
  for (size_t i = 0; i < variances.size(); ++i)
    out.push_back({variances[i], freedoms[freedoms.size() == 1 ? 0 : i]});
  return out;
}

}  // namespace

TEST_CASE("what variances have in common, as limma finds it") {
  const Prior alike = common_prior(spreads({1.2, 0.7, 2.2, 1.1, 0.4, 1.9, 0.9, 1.5}, {4}));
  CHECK(std::isinf(alike.freedom));
  CHECK(alike.variance == Approx(1.2375));
  const Prior apart = common_prior(spreads({0.01, 4, 0.3, 9, 0.05, 1.1, 25, 0.6}, {4}));
  CHECK(apart.freedom == Approx(0.8719174797));
  CHECK(apart.variance == Approx(0.2185776938));
  const Prior counts = common_prior(spreads({0.5, 2, 1, 3.5, 0.2, 0.9}, {2, 9, 4, 19, 3, 7}));
  CHECK(counts.freedom == Approx(19.74392022));
  CHECK(counts.variance == Approx(1.135770677));
  const Prior few =
      common_prior(spreads({0.1, 0.4, 1.3, 0.02, 2.4, 0.7, 0.9, 3.1, 0.25, 0.6, 1.8, 0.05}, {2}));
  CHECK(few.freedom == Approx(3.215961419));
  CHECK(few.variance == Approx(0.5670631889));
}

TEST_CASE("there is no prior where too little is known") {
  CHECK(common_prior({}).freedom == 0);
  CHECK(common_prior(spreads({1, 2}, {40})).freedom == 0);
  CHECK(common_prior(spreads({1, 2, 3, 4}, {4})).freedom == 0);
  CHECK(common_prior(spreads({0, 0, 0, 0, 0, 0}, {4})).freedom == 0);
  CHECK(common_prior(spreads({1, 1, 1, 0, 0}, {0})).freedom == 0);
}

TEST_CASE("a measured variance is weighed against the prior, which has a bound") {
  const Spread measured{4, 3};
  CHECK(moderated(measured, {}, 100).variance == 4);
  CHECK(moderated(measured, {}, 100).freedom == 3);
  const Spread some = moderated(measured, {1, 3}, 100);
  CHECK(some.variance == Approx(2.5));
  CHECK(some.freedom == 6);
  const Spread most = moderated(measured, {1, HUGE_VAL}, 100);
  CHECK(most.variance == Approx((10 * 1 + 3 * 4) / 13.0));
  CHECK(most.freedom == 13);
  CHECK(moderated(measured, {1, HUGE_VAL}, 8).freedom == 8);
}

TEST_CASE("what seems too quiet is guarded, what is loud is not touched") {
  // The median of chi-square with 4 degrees of freedom over 4 is 0.8391735.
  CHECK(usual_variance(spreads({1, 2, 30}, {4})) == Approx(2 / 0.8391735));
  CHECK(usual_variance(spreads({1, 2}, {4})) == 0);
  const Spread quiet = guarded({0.1, 12}, {0.1, 2}, 4);
  CHECK(quiet.variance == Approx((4 * 4 + 2 * 0.1) / 6));
  CHECK(quiet.freedom == 6);
  const Spread loud = guarded({9, 12}, {9, 2}, 4);
  CHECK(loud.variance == 9);
  CHECK(loud.freedom == 12);
}

TEST_CASE("spread of few values") {
  CHECK(spread_of({}).freedom == 0);
  CHECK(spread_of({3}).freedom == 0);
  CHECK(spread_of({1, 2, 3, 4}).variance == Approx(5.0 / 3));
  CHECK(spread_of({1, 2, 3, 4}).freedom == 3);
}
