// Single-precision arithmetic, bit for bit as IEEE 754 says (built with contraction off): also denormals,
// infinities, signed zeros and NaN.
// e2e-replayed: \barithmetic 1
// e2e-replayed: \bcompare 1
#include <algorithm>

#include "support/hip_check.hpp"

using Real = float;
#include "support/real_arithmetic.hpp"

int main() { return run_real_arithmetic("float_math"); }
