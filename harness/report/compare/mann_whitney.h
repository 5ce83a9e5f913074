// Whether two samples differ by more than chance.
#pragma once

#include <vector>

namespace gridlock::report {

struct MannWhitney {
  double p = 1;          // two-sided: how likely a difference as large as this is by chance
  double greater = 0.5;  // share of pairs in which the second sample is greater, ties count half
};

// The rank-sum test of Mann and Whitney 1947. Exact for small samples without ties, otherwise by
// the normal approximation with corrections for ties and continuity. Neither sample is empty.
MannWhitney mann_whitney(const std::vector<double>& first, const std::vector<double>& second);

}  // namespace gridlock::report
