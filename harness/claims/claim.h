// A claim of the field notes, and an answer to it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/claims/evidence.h"

namespace gridlock::claims {

enum class Kind { confirmed, refuted, only_if, needs_gpu, undecided };

// "confirmed", "refuted", "holds only if", "needs a GPU", "undecided"
std::string_view to_string(Kind kind);

struct Answer {
  Kind kind = Kind::undecided;
  std::string found;  // the condition, the figures, or what is missing
};

inline Answer confirmed(std::string found) { return {Kind::confirmed, std::move(found)}; }
inline Answer refuted(std::string found) { return {Kind::refuted, std::move(found)}; }
// Confirmed with one sentence if `holds`, else refuted with the other.
inline Answer confirmed_if(bool holds, std::string confirms, std::string refutes) {
  return holds ? confirmed(std::move(confirms)) : refuted(std::move(refutes));
}
inline Answer only_if(std::string condition) { return {Kind::only_if, std::move(condition)}; }
inline Answer needs_gpu(std::string found) { return {Kind::needs_gpu, std::move(found)}; }
inline Answer undecided(std::string found) { return {Kind::undecided, std::move(found)}; }

struct Claim {
  std::string_view id;    // note and number: "A1"
  std::string_view says;  // the note's claim
  // The variants that decide it, as "scenario/variant"; "scenario/*" means all of a scenario. The
  // rule is asked only if each has been run and all its repetitions agree.
  std::vector<std::string_view> variants;
  Kind predicted;  // made before any measurement
  // Answers from the outcomes and figures of the runs alone.
  Answer (*rule)(const Evidence& runs);
  std::vector<int> ranks = {};  // numbers of ranks that it needs; none: any
};

// The claims of each note, in its order.
std::vector<Claim> note_a();  // "CUDA synchronize hang, fixed"
std::vector<Claim> note_b();  // "Encoder hang, repair guide"
std::vector<Claim> note_c();  // "DDP debugging guide"
std::vector<Claim> note_d();  // "Encoder: DDP strategies compared"
std::vector<Claim> note_e();  // "Distributed-training debugging guide"

// All of them, by id.
const std::vector<Claim>& all_claims();

}  // namespace gridlock::claims
