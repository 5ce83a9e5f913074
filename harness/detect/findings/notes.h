// Sentences that a verdict adds: what the record does not tell, and what the program forgot.
#pragma once

#include <vector>

#include "harness/detect/blame/blame.h"
#include "harness/detect/calls/ledger.h"
#include "harness/detect/graph/points.h"
#include "harness/detect/verdict/phrases.h"

namespace gridlock::detect {

// Ranks whose record proves nothing, groups that are never closed, Python's lock that a dead rank
// keeps, and messages that were sent to or by those who take part in a message to blame, and that
// nobody has received. `ledger` may be null.
std::vector<Phrase> notes_of(const WaitGraph& graph, const Points& points, const Blame& blame,
                             const Ledger* ledger, const CommunicatorNames& names);

}  // namespace gridlock::detect
