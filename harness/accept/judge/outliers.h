// Finds the part that differs from a few equal ones. A pure function of their figures.
#pragma once

#include <cstddef>
#include <vector>

namespace gridlock::accept {

// Fewer peers than this cannot be compared with each other.
constexpr std::size_t kLeastPeers = 4;
// Beyond this score a value is an outlier.
//   Source  Iglewicz and Hoaglin 1993, How to Detect and Handle Outliers, ASQC: modified z-score
//           0.6745 (x - median) / MAD, with 3.5 as its bound
constexpr double kOutlierScore = 3.5;

constexpr double kLeastDeviation = 0.01;

struct Peer {
  std::size_t index = 0;
  double score = 0;  // how far below the median, in the modified z-score; negative: above it
  double below = 0;  // the same as a share of the median
};

// The peers that are too slow: their score is beyond kOutlierScore, and they are more than `margin`
// (0.1: 10 %) below the median. The margin keeps nearly equal figures from accusing each other,
// because scores of few values have long tails. The MAD counts as at least kLeastDeviation of the
// median, because it is 0 if half of the values are equal.
//   values   bandwidths: positive, more is better
//   REQUIRES  at least kLeastPeers values
std::vector<Peer> slow_outliers(const std::vector<double>& values, double margin);

}  // namespace gridlock::accept
