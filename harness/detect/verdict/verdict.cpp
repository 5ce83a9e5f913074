// The names of outcomes and causes, as reports and declarations spell them.
#include "harness/detect/verdict/verdict.h"

namespace gridlock::detect {

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::running:
      return "running";
    case Outcome::completes:
      return "completes";
    case Outcome::deadlock:
      return "deadlock";
    case Outcome::stall:
      return "stall";
    case Outcome::fails:
      return "fails";
    case Outcome::crashes:
      return "crashes";
    case Outcome::corrupts:
      return "corrupts";
  }
  return "unknown";
}

std::string_view to_string(Cause cause) {
  switch (cause) {
    case Cause::none:
      return "none";
    case Cause::missing_rank:
      return "missing_rank";
    case Cause::rank_exited:
      return "rank_exited";
    case Cause::mismatch:
      return "mismatch";
    case Cause::cycle:
      return "cycle";
    case Cause::host_stuck:
      return "host_stuck";
    case Cause::device_stuck:
      return "device_stuck";
    case Cause::network:
      return "network";
    case Cause::init:
      return "init";
    case Cause::self:
      return "self";
  }
  return "unknown";
}

}  // namespace gridlock::detect
