// A number type that records what is computed with it: an algorithm of this library, run on it, becomes a list of operations on the
// coordinates of one robot, from which code in other languages is written. The robot's constants fold away.
//
// A list is straight-line code. Each line is an operation on lines before it, and none is listed twice. Constants are folded; x + 0, 1 x,
// 0 x, x - x, x - (x - y) and double signs vanish; factors that are constant are positive, so that those that differ in sign share a line; x / c is
// x (1 / c). 0 x and x - x are 0 because recorded code is to run on finite numbers: whoever writes it checks its arguments and results.
// The sine of x + c is that of x, turned by c: added to a large angle, c would lose its digits.
//
// Branches on numbers. A mask is a list of numbers that must be positive for it to be true: algorithms return masks, and the code checks
// them. Pivots of forward dynamics are listed as well, less what they must exceed. `any` of a mask is false: what algorithms do again for
// some states is not recorded. What a branch selects is known of constants only; of other numbers std::logic_error is thrown.
//
// Contract: a Recorder exists, and `Recorder::active` is its address, as long as a Recorded does. One thread.
#pragma once
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "numbers.hpp"

namespace modular_dynamics {

/// Of inputs: array and element. Of constants: index. Of one line: neg, sin, cos, sqrt, floor. Of two: the others.
enum class Operation : std::int64_t { input, constant, neg, sin, cos, sqrt, floor, add, sub, mul, div, atan2 };
constexpr const char* operation_names[] = {"input", "constant", "neg", "sin", "cos", "sqrt", "floor", "add", "sub", "mul", "div", "atan2"};
constexpr int operation_count = sizeof operation_names / sizeof *operation_names;

struct Line {
  Operation operation;
  std::int64_t first, second;
  bool operator==(const Line& other) const { return operation == other.operation && first == other.first && second == other.second; }
};

class Recorder {
 public:
  inline static thread_local Recorder* active = nullptr;
  typedef int Place; ///< of a line

  std::vector<Line> lines;
  std::vector<double> constants;
  std::vector<Place> pivots; ///< must be positive

  Recorder() { constant(0.0); } // the line of a Recorded{}

  Place constant(double value) {
    value += 0.0; // one zero
    const auto [at, added] = known_constants.insert({bit_cast<std::int64_t>(value), Place(lines.size())});
    if (added) {
      lines.push_back({Operation::constant, std::int64_t(constants.size()), 0});
      constants.push_back(value);
    }
    return at->second;
  }
  bool is(Operation operation, Place a) const { return lines[a].operation == operation; }
  bool is_constant(Place a) const { return is(Operation::constant, a); }
  double value(Place a) const { return constants[lines[a].first]; }

  Place neg(Place a) {
    if (is_constant(a)) return constant(-value(a));
    if (is(Operation::neg, a)) return first(a);
    if (is(Operation::sub, a)) return sub(second(a), first(a));
    return line(Operation::neg, a);
  }
  Place add(Place a, Place b) {
    if (is_constant(a) && is_constant(b)) return constant(value(a) + value(b));
    if (a == 0 || b == 0) return a + b;
    if (is(Operation::neg, b)) return sub(a, first(b));
    if (is(Operation::neg, a)) return sub(b, first(a));
    if (is(Operation::sub, b) && second(b) == a) return first(b);
    if (is(Operation::sub, a) && second(a) == b) return first(a);
    return a < b ? line(Operation::add, a, b) : line(Operation::add, b, a);
  }
  Place sub(Place a, Place b) {
    if (is_constant(a) && is_constant(b)) return constant(value(a) - value(b));
    if (a == b || b == 0) return a == b ? 0 : a;
    if (a == 0) return neg(b);
    if (is(Operation::neg, b)) return add(a, first(b));
    if (is(Operation::neg, a)) return neg(add(first(a), b));
    if (is(Operation::sub, b) && first(b) == a) return second(b);
    if (is(Operation::sub, a) && first(a) == b) return neg(second(a));
    if (is(Operation::add, b) && (first(b) == a || second(b) == a)) return neg(first(b) == a ? second(b) : first(b));
    if (is(Operation::add, a) && (first(a) == b || second(a) == b)) return first(a) == b ? second(a) : first(a);
    return line(Operation::sub, a, b);
  }
  Place mul(Place a, Place b) {
    if (is_constant(a) && is_constant(b)) return constant(value(a) * value(b));
    if (is_constant(b)) std::swap(a, b);
    if (a == 0) return 0;
    if (is_constant(a) && value(a) < 0) return neg(mul(constant(-value(a)), b));
    if (is_constant(a) && value(a) == 1) return b;
    if (is(Operation::neg, b)) return neg(mul(a, first(b)));
    if (is(Operation::neg, a)) return neg(mul(first(a), b));
    return a < b ? line(Operation::mul, a, b) : line(Operation::mul, b, a);
  }
  Place div(Place a, Place b) {
    if (is_constant(b)) return mul(a, constant(1 / value(b)));
    if (a == 0) return 0;
    if (is(Operation::neg, b)) return neg(div(a, first(b)));
    if (is(Operation::neg, a)) return neg(div(first(a), b));
    return line(Operation::div, a, b);
  }
  void sine_cosine(Place angle, Place& sine, Place& cosine) {
    const Line at = lines[angle];
    if (at.operation == Operation::constant) {
      const double x = value(angle);
      sine = constant(std::sin(x)), cosine = constant(std::cos(x));
    } else if (at.operation == Operation::neg) {
      sine_cosine(first(angle), sine, cosine);
      sine = neg(sine);
    } else if ((at.operation == Operation::add || at.operation == Operation::sub) && (is_constant(first(angle)) || is_constant(second(angle)))) {
      const bool shift_first = is_constant(first(angle)), minus = at.operation == Operation::sub;
      const Place x = shift_first ? (minus ? neg(second(angle)) : second(angle)) : first(angle);
      const double shift = shift_first ? value(first(angle)) : minus ? -value(second(angle)) : value(second(angle));
      auto quarter = [&](double number) { return constant(std::fabs(number) < 2.5e-16 ? 0 : number); }; // the rounding of pi
      const Place s = quarter(std::sin(shift)), c = quarter(std::cos(shift));
      Place of_sine, of_cosine;
      sine_cosine(x, of_sine, of_cosine);
      sine = add(mul(of_sine, c), mul(of_cosine, s)), cosine = sub(mul(of_cosine, c), mul(of_sine, s));
    } else {
      sine = line(Operation::sin, angle), cosine = line(Operation::cos, angle);
    }
  }
  Place sqrt(Place a) { return is_constant(a) ? constant(std::sqrt(value(a))) : line(Operation::sqrt, a); }
  Place floor(Place a) { return is_constant(a) ? constant(std::floor(value(a))) : line(Operation::floor, a); }
  Place atan2(Place y, Place x) {
    return is_constant(y) && is_constant(x) ? constant(std::atan2(value(y), value(x))) : line(Operation::atan2, y, x);
  }
  Place input(std::int64_t array, std::int64_t element) { return line(Operation::input, array, element); }

  /// Keeps only the lines that these results need, and renumbers the results.
  void keep(const std::vector<std::vector<Place>*>& results) {
    std::vector<Place> places(lines.size(), -1);
    for (const auto* list : results)
      for (Place a : *list) places[a] = 0;
    for (std::size_t k = lines.size(); k-- > 0;)
      if (places[k] == 0 && reads(k) > 0) {
        places[lines[k].first] = 0;
        if (reads(k) > 1) places[lines[k].second] = 0;
      }
    std::vector<Line> kept;
    std::vector<double> values;
    for (std::size_t k = 0; k < lines.size(); ++k) {
      if (places[k] < 0) continue;
      places[k] = Place(kept.size());
      Line line = lines[k];
      if (reads(k) > 0) line.first = places[line.first];
      if (reads(k) > 1) line.second = places[line.second];
      if (line.operation == Operation::constant) {
        values.push_back(constants[line.first]);
        line.first = std::int64_t(values.size()) - 1;
      }
      kept.push_back(line);
    }
    for (auto* list : results)
      for (Place& a : *list) a = places[a];
    lines = std::move(kept), constants = std::move(values);
    known.clear(), known_constants.clear();
  }

 private:
  struct Hash {
    std::size_t operator()(const Line& line) const {
      return std::size_t(((std::uint64_t(line.operation) * 1000003 + std::uint64_t(line.first)) * 1000003 + std::uint64_t(line.second)) *
                         0x9e3779b97f4a7c15);
    }
  };
  std::unordered_map<Line, Place, Hash> known;
  std::unordered_map<std::int64_t, Place> known_constants; // by their bits

  Place first(Place a) const { return Place(lines[a].first); }
  Place second(Place a) const { return Place(lines[a].second); }
  int reads(std::size_t k) const {
    return lines[k].operation <= Operation::constant ? 0 : lines[k].operation < Operation::add ? 1 : 2;
  }
  Place line(Operation operation, std::int64_t a, std::int64_t b = 0) {
    const Line own{operation, a, b};
    const auto [at, added] = known.insert({own, Place(lines.size())});
    if (added) lines.push_back(own);
    return at->second;
  }
};

/// A line of the active recorder.
struct Recorded {
  Recorder::Place at = 0;

  Recorded() = default;
  Recorded(double value) : at(Recorder::active->constant(value)) {}
  static Recorded line(Recorder::Place at) {
    Recorded x;
    x.at = at;
    return x;
  }
  bool is_constant() const { return Recorder::active->is_constant(at); }
  double value() const { return Recorder::active->value(at); }

  friend Recorded operator+(Recorded a, Recorded b) { return line(Recorder::active->add(a.at, b.at)); }
  friend Recorded operator-(Recorded a, Recorded b) { return line(Recorder::active->sub(a.at, b.at)); }
  friend Recorded operator*(Recorded a, Recorded b) { return line(Recorder::active->mul(a.at, b.at)); }
  friend Recorded operator/(Recorded a, Recorded b) { return line(Recorder::active->div(a.at, b.at)); }
};

/// The robot's constants are plain numbers, and no branch for a single state is taken.
template <> struct ElementOf<Recorded> { typedef double type; };
template <> inline constexpr int lanes_of<Recorded> = 0;

/// Numbers that must be positive.
struct Conditions {
  std::vector<Recorded> positive;

  friend Conditions operator&(Conditions a, const Conditions& b) {
    a.positive.insert(a.positive.end(), b.positive.begin(), b.positive.end());
    return a;
  }
};
static inline Conditions decided(bool holds) { return holds ? Conditions{} : Conditions{{Recorded(-1.0)}}; }
static inline Conditions operator<(Recorded a, Recorded b) {
  return a.is_constant() && b.is_constant() ? decided(a.value() < b.value()) : Conditions{{b - a}};
}
static inline Conditions operator<=(Recorded a, Recorded b) {
  return a.is_constant() && b.is_constant() ? decided(a.value() <= b.value()) : Conditions{{b - a}};
}
static inline Conditions operator>(Recorded a, Recorded b) { return b < a; }

static inline bool any(const Conditions&) { return false; }
static inline Recorded select(const Conditions& mask, Recorded a, Recorded b) {
  for (Recorded x : mask.positive) {
    if (!x.is_constant()) throw std::logic_error("a branch on numbers that are not constant cannot be recorded");
    if (!(x.value() > 0)) return b;
  }
  return a;
}
static inline Recorded absolute(Recorded x) { return select(x < Recorded(), Recorded() - x, x); }
static inline Recorded without_turns(Recorded angle) { return angle; } // C libraries reduce large angles exactly
static inline void sine_cosine(Recorded angle, Recorded& sine, Recorded& cosine) {
  Recorder::active->sine_cosine(angle.at, sine.at, cosine.at);
}
static inline Recorded square_root(Recorded x) { return Recorded::line(Recorder::active->sqrt(x.at)); }
static inline Recorded arctangent(Recorded y, Recorded x) { return Recorded::line(Recorder::active->atan2(y.at, x.at)); }
static inline Recorded rounded(Recorded x) { return Recorded::line(Recorder::active->floor((x + 0.5).at)); }
static inline Recorded inverse_length(Recorded length) { return 1.0 / length; } // not finite where it is zero, which results show
static inline bool is_lost(Recorded pivot, Recorded least) {
  Recorder::active->pivots.push_back((pivot - least).at);
  return false;
}

} // namespace modular_dynamics
