// Which hosts the network has cut off, by what their ranks have sent in vain.
#pragma once

#include <span>

#include "harness/detect/verdict/verdict.h"
#include "harness/record/snapshot.h"

namespace gridlock::detect {

// Cause, culprits and faults (what each rank has sent from or to the culprits' hosts) if something
// that a rank has sent to a rank on another host gets no answer; otherwise cause none. The culprits
// are the ranks of the host whose own link is down. If no host's is known to be, they are those of
// the one host that takes part in all of these connections, or of all hosts that take part in any.
// What was sent to somebody else, who need not belong to the job, is only noted.
Verdict blame_network(std::span<const record::Snapshot> snapshots);

}  // namespace gridlock::detect
