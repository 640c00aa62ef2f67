// Exponential and logarithm by additions, multiplications and divisions only, so that a search
// makes the same decisions on every machine: C libraries differ in the last digit. Exact to about
// 1e-12, which is more than random decisions need.
#pragma once

#include <cmath>

namespace dovetail::planning {

// Needs -2 <= x <= 2.
inline double steady_exp(double x) {
  double sum = 1;
  for (int k = 24; k > 0; --k) sum = 1 + sum * x / k;
  return sum;
}

// Needs x > 0. By ln x = e ln 2 + 2 artanh((m - 1) / (m + 1)) with x = m 2^e.
inline double steady_log(double x) {
  constexpr double kLog2 = 0.693147180559945309417;
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);  // exact
  const double z = (mantissa - 1) / (mantissa + 1);
  double sum = 0;
  for (int k = 25; k > 0; k -= 2) sum = sum * z * z + 1.0 / k;
  return exponent * kLog2 + 2 * z * sum;
}

}  // namespace dovetail::planning
