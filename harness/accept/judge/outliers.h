// Which of a few equal parts differs from the others. A pure function of their figures.
#pragma once

#include <cstddef>
#include <vector>

namespace gridlock::accept {

// Fewer peers than this say nothing about each other.
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

// The peers that are too slow: scored beyond kOutlierScore, and more than `margin` (0.1: 10 %)
// below the median. The second keeps figures that are all but equal from accusing each other, for
// the scores of few values have long tails. A deviation below kLeastDeviation of the median counts
// as that much: where half of the values are equal the MAD is 0.
//   values   a bandwidth each: more is better; positive
//   REQUIRES  at least kLeastPeers values
std::vector<Peer> slow_outliers(const std::vector<double>& values, double margin);

}  // namespace gridlock::accept
