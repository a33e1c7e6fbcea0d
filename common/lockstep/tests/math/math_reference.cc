// math_reference: libquadmath has most functions in 113 bits; the others follow from them. A double has less than half
// as many, so rounding once more gives the correctly rounded result, except in cases rarer than 2^-40.
#include "math_reference.h"

#include <quadmath.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <map>

namespace {

using Quad = __float128;

Quad infinity() { return HUGE_VALQ; }
Quad not_a_number() { return nanq(""); }

// sin(pi x), cos(pi x): first reduced exactly to |x| <= 1/2, and then away from the zeros.
Quad half_turns(Quad x, bool cosine) {
  if (isinfq(x)) return not_a_number();
  const Quad whole = rintq(x), rest = x - whole;
  const Quad value = cosine ? sinq(M_PIq * (0.5Q - fabsq(rest))) : sinq(M_PIq * rest);
  return fmodq(whole, 2) == 0 ? value : -value;
}

// Newton's method for erf(y) = w.
Quad inverse_erf_near_zero(Quad w) {
  Quad y = w * 0.886Q;
  for (int i = 0; i < 12; ++i) y -= (erfq(y) - w) * sqrtq(M_PIq) / 2 * expq(y * y);
  return y;
}

// erfc(y) = z. For small z it works on logarithms, where the function is nearly a parabola.
Quad inverse_erfc(Quad z) {
  if (z < 0 || z > 2 || isnanq(z)) return not_a_number();
  if (z == 0 || z == 2) return z == 0 ? infinity() : -infinity();
  if (z > 0.5Q && z < 1.5Q) return inverse_erf_near_zero(1 - z);
  if (z > 1) return -inverse_erfc(2 - z);
  Quad y = sqrtq(-logq(z));
  for (int i = 0; i < 40; ++i) {
    const Quad value = erfcq(y);
    y += (logq(value) - logq(z)) * value * sqrtq(M_PIq) / 2 * expq(y * y);
  }
  return y;
}

Quad inverse_erf(Quad x) { return fabsq(x) < 0.5Q ? (x == 0 ? x : inverse_erf_near_zero(x)) : inverse_erfc(1 - x); }

// exp(x²) erfc(x); the asymptotic series where erfc underflows.
Quad scaled_erfc(Quad x) {
  if (x < 50 || isnanq(x)) return expq(x * x) * erfcq(x);
  Quad sum = 1, term = 1;
  for (int k = 1; k < 25; ++k) sum += term *= -(2 * k - 1) / (2 * x * x);
  return sum / (x * sqrtq(M_PIq));
}

// Modified Bessel functions of the first kind, by their power series, whose terms are all positive.
Quad bessel_i(int order, Quad x) {
  if (isnanq(x)) return x;
  if (fabsq(x) > 2000) return order == 1 && x < 0 ? -infinity() : infinity();  // beyond a double
  Quad term = order == 0 ? 1 : x / 2, sum = term;
  for (int k = 1; k < 4000; ++k) sum += term *= x * x / 4 / k / (k + order);
  return sum;
}

Quad norm(std::initializer_list<Quad> values) {
  Quad sum = 0;
  for (const Quad v : values) {
    if (isinfq(v)) return infinity();  // for any other arguments, also NaN
    sum += v * v;
  }
  return sqrtq(sum);
}

Quad fraction(Quad x) {
  int exponent = 0;
  return frexpq(x, &exponent);
}
Quad exponent(Quad x) {
  int exponent = 0;
  frexpq(x, &exponent);
  return exponent;
}
Quad signed_fraction(Quad x) {
  Quad whole = 0;
  return modfq(x, &whole);
}

using Function = std::function<Quad(const Quad*)>;
Function of1(Quad (*f)(Quad)) {
  return [f](const Quad* x) { return f(x[0]); };
}
Function of2(Quad (*f)(Quad, Quad)) {
  return [f](const Quad* x) { return f(x[0], x[1]); };
}

const std::map<std::string, Function>& functions() {
  static const std::map<std::string, Function> table = {
      {"add", [](const Quad* x) { return x[0] + x[1]; }},
      {"mul", [](const Quad* x) { return x[0] * x[1]; }},
      {"div", [](const Quad* x) { return x[0] / x[1]; }},
      {"fma", [](const Quad* x) { return fmaq(x[0], x[1], x[2]); }},
      {"rcp", [](const Quad* x) { return 1 / x[0]; }},
      {"sqrt", of1(sqrtq)},
      {"rsqrt", [](const Quad* x) { return 1 / sqrtq(x[0]); }},
      {"cbrt", of1(cbrtq)},
      {"rcbrt", [](const Quad* x) { return 1 / cbrtq(x[0]); }},
      {"hypot", of2(hypotq)},
      {"rhypot", [](const Quad* x) { return 1 / hypotq(x[0], x[1]); }},
      {"norm3d",
       [](const Quad* x) {
         return norm({x[0], x[1], x[2]});
       }},
      {"rnorm3d",
       [](const Quad* x) {
         return 1 / norm({x[0], x[1], x[2]});
       }},
      {"norm4d",
       [](const Quad* x) {
         return norm({x[0], x[1], x[2], x[3]});
       }},
      {"rnorm4d",
       [](const Quad* x) {
         return 1 / norm({x[0], x[1], x[2], x[3]});
       }},
      {"exp", of1(expq)},
      {"exp2", [](const Quad* x) { return powq(2, x[0]); }},
      {"exp10", [](const Quad* x) { return powq(10, x[0]); }},
      {"expm1", of1(expm1q)},
      {"log", of1(logq)},
      {"log2", of1(log2q)},
      {"log10", of1(log10q)},
      {"log1p", of1(log1pq)},
      {"pow", of2(powq)},
      {"sin", of1(sinq)},
      {"cos", of1(cosq)},
      {"tan", of1(tanq)},
      {"sinpi", [](const Quad* x) { return half_turns(x[0], false); }},
      {"cospi", [](const Quad* x) { return half_turns(x[0], true); }},
      {"asin", of1(asinq)},
      {"acos", of1(acosq)},
      {"atan", of1(atanq)},
      {"atan2", of2(atan2q)},
      {"sinh", of1(sinhq)},
      {"cosh", of1(coshq)},
      {"tanh", of1(tanhq)},
      {"asinh", of1(asinhq)},
      {"acosh", of1(acoshq)},
      {"atanh", of1(atanhq)},
      {"erf", of1(erfq)},
      {"erfc", of1(erfcq)},
      {"erfinv", of1(inverse_erf)},
      {"erfcinv", of1(inverse_erfc)},
      {"erfcx", of1(scaled_erfc)},
      {"normcdf", [](const Quad* x) { return erfcq(-x[0] / M_SQRT2q) / 2; }},
      {"normcdfinv", [](const Quad* x) { return -M_SQRT2q * inverse_erfc(2 * x[0]); }},
      {"lgamma", of1(lgammaq)},
      {"tgamma", of1(tgammaq)},
      {"j0", of1(j0q)},
      {"j1", of1(j1q)},
      {"j128", [](const Quad* x) { return jnq(128, x[0]); }},
      {"y0", of1(y0q)},
      {"y1", of1(y1q)},
      {"y2", [](const Quad* x) { return ynq(2, x[0]); }},
      {"cyl_bessel_i0", [](const Quad* x) { return bessel_i(0, x[0]); }},
      {"cyl_bessel_i1", [](const Quad* x) { return bessel_i(1, x[0]); }},
      {"fmod", of2(fmodq)},
      {"remainder", of2(remainderq)},
      {"fdim", of2(fdimq)},
      {"trunc", of1(truncq)},
      {"round", of1(roundq)},
      {"rint", of1(rintq)},
      {"ceil", of1(ceilq)},
      {"floor", of1(floorq)},
      {"fraction", of1(fraction)},
      {"exponent", of1(exponent)},
      {"signed_fraction", of1(signed_fraction)},
      {"times_2_down_7", [](const Quad* x) { return x[0] / 128; }},
      {"times_2_up_30", [](const Quad* x) { return x[0] * 1073741824; }},
      {"logb", of1(logbq)},
  };
  return table;
}

double rounded(Quad value, const Format& format) {
  if (value == 0 || isnanq(value) || isinfq(value)) return static_cast<double>(value);
  int exponent = 0;
  frexpq(value, &exponent);
  int unit = exponent - format.digits;
  if (unit < format.smallest_unit) unit = format.smallest_unit;
  const Quad result = scalbnq(rintq(scalbnq(value, -unit)), unit);
  const Quad too_large = scalbnq(1, format.largest_unit + format.digits);
  if (fabsq(result) >= too_large) return static_cast<double>(value > 0 ? infinity() : -infinity());
  return static_cast<double>(result);
}

}  // namespace

double reference(const std::string& name, const double arguments[4], const Format& format) {
  const auto found = functions().find(name);
  if (found == functions().end()) {
    std::fprintf(stderr, "no reference for '%s'\n", name.c_str());
    std::exit(2);
  }
  const Quad quads[4] = {arguments[0], arguments[1], arguments[2], arguments[3]};
  return rounded(found->second(quads), format);
}
