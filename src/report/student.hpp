// Student's t.
#pragma once

namespace kreplay::report {

/// Two-sided: how often a t of that many degrees of freedom (above 0, not necessarily whole) is larger in
/// magnitude.
double student_p(double t, double freedom);
/// The t that |t| stays below with probability `confidence`, 0 < confidence < 1.
double student_quantile(double confidence, double freedom);

}  // namespace kreplay::report
