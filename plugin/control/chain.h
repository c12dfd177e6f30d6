// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::control {

// What fast mode learned: throughput at some levels, as logarithms relative to the first.
class Chain {
 public:
  void begin(int k);                       // the first level, at 0
  void add(int from, int k, double gain);  // ln of throughput at k over that at `from`, which is in the chain
  // The smallest level that is within `share` of the best, between two known ones by interpolation.
  int choose(double share) const;
  int best() const;
  double gain() const { return ln_at(best()); }  // of the best over the first

 private:
  struct Entry {
    int k;
    double ln;
  };
  double ln_at(int k) const;

  static constexpr int most = 20;
  Entry entries_[most] = {};  // ascending by k
  int count_ = 0;
};

}  // namespace weir::control
