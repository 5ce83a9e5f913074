// The advice for each kind of bad result.
#include "harness/accept/judge/advice.h"

#include <fmt/format.h>

namespace gridlock::accept {

using detect::Outcome;

std::string advice_on(Outcome found, std::string_view role) {
  if (role == "broken" || role == "remedy") {
    return "This program is wrong on purpose, and its verdict here is not the declared one: "
           "compare NCCL "
           "and driver versions with a machine that gives it (gridlock compare), and report the "
           "difference.";
  }
  switch (found) {
    case Outcome::corrupts:
      return "Drain the node: a correct program computed wrong numbers. Check memory errors "
             "(nvidia-smi -q -d ECC) and compare NCCL versions before it gets work again.";
    case Outcome::crashes:
    case Outcome::fails:
      return "Read the ranks' output under runs/ (output.txt); compare NCCL and driver versions, "
             "and drain the node if a GPU was lost (dmesg, Xid).";
    default:
      return "Drain the node: a correct program hangs here. Look at the culprits, then compare "
             "NCCL and driver versions; the black boxes are under runs/ (gridlock diagnose).";
  }
}

std::string advice_on_flakiness(std::string_view check) {
  return fmt::format(
      "Run it again and often: --repeat-until-fail 50 (of {}). A check that fails now "
      "and then will fail in production.",
      check);
}

std::string advice_on_noise(std::string_view check) {
  return fmt::format(
      "Run {} again on an idle machine, with more repetitions; other jobs, clocks "
      "that are not locked, and other traffic on the links, make figures vary.",
      check);
}

std::string advice_on_slowness(bool has_baseline) {
  return fmt::format(
      "All ranks are alike, so look at what they share: compare NCCL and driver "
      "versions{}, and check NCCL's choice of links (NCCL_DEBUG=INFO), clocks and "
      "power limits.",
      has_baseline ? " with the baseline's" : "");
}

std::string advice_on_a_rank() {
  return "Drain the node and look at this GPU and its links: nvidia-smi -q -d "
         "ECC,PERFORMANCE,CLOCK, nvidia-smi nvlink -s, dmesg (Xid).";
}

std::string advice_on_few_peers() {
  return "Give the check a floor or a baseline instead of outlier_margin.";
}

std::string advice_on_baseline() {
  return "Write a baseline on a sound machine of the same kind: --write-baseline "
         "FILE.";
}

std::string advice_on_sharing() { return "Run it where each rank has its own GPU."; }

std::string advice_on_missing() {
  return "Run it where this can be checked, or set needed = false in the profile.";
}

std::string advice_on_infrastructure() {
  return "Nothing is known about the machine yet: fix what the sentence names, then continue with "
         "--resume.";
}

}  // namespace gridlock::accept
