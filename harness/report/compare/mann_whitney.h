// Whether two samples differ by more than chance.
#pragma once

#include <vector>

namespace gridlock::report {

struct MannWhitney {
  double p = 1;          // two-sided: how likely chance alone gives a difference this large
  double greater = 0.5;  // share of pairs whose second value is greater; ties count half
};

// The rank-sum test of Mann and Whitney (1947). It is exact for small samples without ties.
// Otherwise it uses the normal approximation, corrected for ties and continuity. Neither sample
// may be empty.
MannWhitney mann_whitney(const std::vector<double>& first, const std::vector<double>& second);

}  // namespace gridlock::report
