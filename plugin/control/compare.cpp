// SPDX-License-Identifier: Apache-2.0
#include "control/compare.h"

#include <initializer_list>

#include "control/math.h"

namespace weir::control {
namespace {

constexpr int most_skips = 4;
constexpr int most_restarts = 2;
constexpr double spread_least = 0.015, spread_most = 0.6;

void sort(double* x, int n) {
  for (int i = 1; i < n; ++i)
    for (int j = i; j > 0 && x[j - 1] > x[j]; --j) {
      double higher = x[j - 1];
      x[j - 1] = x[j];
      x[j] = higher;
    }
}

struct Robust {
  double mean;     // of the middle half
  double squares;  // sum of squared deviations, the outer quarters pulled in to where the middle ends
};

Robust robust(const double* differences, int n, double* sorted) {
  for (int i = 0; i < n; ++i) sorted[i] = differences[i];
  sort(sorted, n);
  int cut = n / 4;
  double sum = 0;
  for (int i = cut; i < n - cut; ++i) sum += sorted[i];
  for (int i = 0; i < cut; ++i) {
    sorted[i] = sorted[cut];
    sorted[n - 1 - i] = sorted[n - 1 - cut];
  }
  double all = 0, squares = 0;
  for (int i = 0; i < n; ++i) all += sorted[i];
  for (int i = 0; i < n; ++i) squares += (sorted[i] - all / n) * (sorted[i] - all / n);
  return {sum / (n - 2 * cut), squares};
}

double mean(const double* x, int from, int to) {
  double sum = 0;
  for (int i = from; i < to; ++i) sum += x[i];
  return sum / (to - from);
}

}  // namespace

const char* name_of(Verdict verdict) {
  constexpr const char* names[] = {"open", "up", "down", "none", "no information"};
  return names[static_cast<int>(verdict)];
}

void Compare::begin(int a, int b, double theta, const Precision& precision, double spread, double rate) {
  *this = {};
  a_ = a;
  b_ = b;
  theta_ = theta;
  precision_ = precision;
  prior_ = spread_ = spread;
  rate_ = rate;
}

double Compare::ln_rate_a() const { return count_ ? mean(ya_, 0, count_) : 0; }

void Compare::begin_block() {
  double wanted = rate_ > 0 ? precision_.block_ops / rate_ : precision_.block_most_s;
  wanted = smaller(larger(wanted, precision_.block_least_s), precision_.block_most_s);
  // Both blocks of a pair are equally long: counting a given number of operations would favour neither, but counting
  // different times would let a passing disturbance weigh differently.
  if (second_) wanted = smaller(first_.seconds(), precision_.block_most_s);
  bool same_level = begun_ && !second_ && count_ + skipped_ > 0;
  block_.begin(k(), wanted, same_level);
  if (!(rate_ > 0) && !second_) block_.end_at(precision_.block_ops, precision_.block_least_s);
  begun_ = true;
}

Verdict Compare::step(const Sample& sample) {
  if (!begun_) begin_block();
  if (!idle_) elapsed_ += sample.dt_s;
  if (!block_.add(sample)) return Verdict::open;
  if (!second_) {
    // Paused for lack of demand: stay at a until it is wanted again.
    if (idle_ && block_.busy() < 0.6 * a_) {
      begin_block();
      block_.begin(k(), precision_.block_least_s, true);
      return Verdict::open;
    }
    idle_ = false;
    first_ = block_;
    second_ = true;
    begin_block();
    return Verdict::open;
  }
  close_pair();
  Verdict verdict = judge();
  second_ = false;
  if (verdict == Verdict::open) begin_block();
  return verdict;
}

// Is it the callers that are few, rather than the permits?
bool Compare::demand_lacks() const {
  const Block& at_a = swapped_ ? block_ : first_;
  const Block& at_b = swapped_ ? first_ : block_;
  if (at_a.busy() < 0.6 * a_) return true;
  if (at_b.busy() >= 0.6 * b_) return false;
  // b leaves workers idle and yet gives less: demand fell meanwhile. Giving more, it is a lower bound, and welcome.
  return at_a.busy() < 0.85 * a_ || at_b.ln_ops_rate() < at_a.ln_ops_rate();
}

// Nothing at all where much was due: the device is away for a moment.
bool Compare::stalled() const {
  constexpr double due = 6;
  bool none = block_.ops() < 0.5 || first_.ops() < 0.5;
  return none && (first_.ops() + block_.ops() >= due || (first_.ops() + block_.ops() < 0.5 && rate_ * block_.seconds() >= due));
}

void Compare::close_pair() {
  const Block& at_a = swapped_ ? block_ : first_;
  const Block& at_b = swapped_ ? first_ : block_;
  double seconds = at_a.seconds() + at_b.seconds();
  double rate = seconds > 0 ? (at_a.ops() + at_b.ops()) / seconds : 0;
  if (rate > 0) rate_ = rate_ > 0 ? 0.5 * rate_ + 0.5 * rate : rate;
  cpu_ = at_a.cpu();
  if (stalled()) {
    swapped_ = false;
    return;
  }
  if (demand_lacks()) {
    idle_ = precision_.early && at_a.busy() < 0.6 * a_;
    if (!idle_) ++skipped_;
    swapped_ = false;
    return;
  }
  int i = count_++;
  ya_[i] = at_a.ln_ops_rate(), yb_[i] = at_b.ln_ops_rate();
  za_[i] = at_a.ln_bytes_rate(), zb_[i] = at_b.ln_bytes_rate();
  oa_[i] = at_a.ops(), ob_[i] = at_b.ops();
  swapped_ = !swapped_;
  if (plant_changed()) drop_earlier();
  estimate();
}

void Compare::estimate() {
  double by_ops[most_pairs], by_bytes[most_pairs], sorted[most_pairs];
  ops_a_ = ops_b_ = 0;
  for (int i = 0; i < count_; ++i) {
    by_ops[i] = yb_[i] - ya_[i];
    by_bytes[i] = zb_[i] - za_[i];
    ops_a_ += oa_[i];
    ops_b_ += ob_[i];
  }
  Robust r = robust(by_ops, count_, sorted);
  if (count_ >= precision_.pairs_min) {
    // Where the sizes of operations vary, what the device keeps constant is the steadier of the two.
    Robust bytes = robust(by_bytes, count_, sorted);
    if (bytes.squares < 0.4 * r.squares) r = bytes;
  }
  gain_ = r.mean;
  constexpr double prior_weight = 3;
  spread_ = square_root((prior_weight * prior_ * prior_ + r.squares) / (prior_weight + count_ - 1));
  spread_ = smaller(larger(spread_, spread_least), spread_most);
  double counting = square_root(0.5 * (1 / larger(ops_a_, 0.5) + 1 / larger(ops_b_, 0.5)));
  error_ = larger(spread_ / square_root(count_), counting);
}

// Both levels moved, and the same way: that was not the level.
bool Compare::plant_changed() const {
  if (count_ < 4 || restarts_ >= most_restarts) return false;
  double da = mean(ya_, count_ - 2, count_) - mean(ya_, 0, count_ - 2);
  double db = mean(yb_, count_ - 2, count_) - mean(yb_, 0, count_ - 2);
  if (da * db <= 0) return false;
  double more = larger(magnitude(da), magnitude(db)), less = smaller(magnitude(da), magnitude(db));
  return more > larger(0.35, 4 * prior_) && less > 0.2;
}

void Compare::drop_earlier() {
  for (double* row : {ya_, yb_, za_, zb_, oa_, ob_}) {
    row[0] = row[count_ - 2];
    row[1] = row[count_ - 1];
  }
  count_ = 2;
  elapsed_ = 0;
  ++restarts_;
}

bool Compare::both_last_far() const {
  double far = larger(0.3, 2 * error_);
  double last = yb_[count_ - 1] - ya_[count_ - 1] - theta_, before = yb_[count_ - 2] - ya_[count_ - 2] - theta_;
  return (last > far && before > far) || (last < -far && before < -far);
}

Verdict Compare::judge() {
  if (skipped_ >= most_skips) return Verdict::no_info;
  bool over = count_ >= precision_.pairs_max || elapsed_ > precision_.cap_s;
  if (!count_) return over && !idle_ ? Verdict::no_info : Verdict::open;
  double distance = gain_ - theta_;
  bool sure = count_ >= precision_.pairs_min && magnitude(distance) > precision_.z * error_;
  if (!sure && precision_.early && count_ >= 2) sure = both_last_far();
  if (sure) return distance > 0 ? Verdict::up : Verdict::down;
  if (!over) return Verdict::open;
  return distance > precision_.z_at_end * error_ ? Verdict::up : Verdict::none;
}

}  // namespace weir::control
