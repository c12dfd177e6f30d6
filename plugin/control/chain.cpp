// SPDX-License-Identifier: Apache-2.0
#include "control/chain.h"

#include "control/math.h"

namespace weir::control {

void Chain::begin(int k) {
  entries_[0] = {k, 0};
  count_ = 1;
}

double Chain::ln_at(int k) const {
  for (int i = 0; i < count_; ++i)
    if (entries_[i].k == k) return entries_[i].ln;
  return 0;
}

void Chain::add(int from, int k, double gain) {
  if (count_ == most) return;
  Entry entry{k, ln_at(from) + gain};
  int at = count_++;
  for (; at > 0 && entries_[at - 1].k > k; --at) entries_[at] = entries_[at - 1];
  entries_[at] = entry;
}

int Chain::best() const {
  int best = 0;
  for (int i = 1; i < count_; ++i)
    if (entries_[i].ln > entries_[best].ln) best = i;
  return entries_[best].k;
}

int Chain::choose(double share) const {
  double enough = ln_at(best()) + natural_log(1 - share);
  int i = 0;
  while (entries_[i].ln < enough) ++i;
  if (i == 0) return entries_[0].k;
  const Entry &below = entries_[i - 1], &above = entries_[i];
  double part = (enough - below.ln) / (above.ln - below.ln);
  double ln_below = natural_log(below.k), ln_above = natural_log(above.k);
  double k = exponential(ln_below + part * (ln_above - ln_below));
  int up = static_cast<int>(k + 0.999);
  return up < above.k ? up : above.k;
}

}  // namespace weir::control
