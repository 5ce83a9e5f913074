// The last acceptance for Prometheus.
#include "harness/report/exports/prometheus.h"

#include "harness/accept/formats/text.h"

namespace gridlock::accept {

std::string to_prometheus(const Acceptance& acceptance) {
  report::Exposition out;
  report::add_context(out, acceptance.context);
  out.begin("gridlock_acceptance_answer", "gauge",
            "1 for the answer of the last acceptance, 0 for the others.");
  const Answer answer = answer_of(acceptance);
  for (const Answer each :
       {Answer::pass, Answer::fail, Answer::inconclusive, Answer::infrastructure}) {
    out.sample({{"profile", acceptance.profile}, {"answer", std::string(to_string(each))}},
               each == answer ? 1 : 0);
  }
  const Counts counts = count(acceptance.results);
  out.begin("gridlock_acceptance_checks", "gauge", "Checks of the last acceptance by answer.");
  out.sample({{"answer", "pass"}}, counts.pass);
  out.sample({{"answer", "fail"}}, counts.fail);
  out.sample({{"answer", "inconclusive"}}, counts.inconclusive);
  out.sample({{"answer", "infrastructure"}}, counts.infrastructure);
  out.sample({{"answer", "excused"}}, counts.excused);
  out.sample({{"answer", "skipped"}}, counts.skipped);
  out.begin("gridlock_acceptance_duration_seconds", "gauge",
            "How long the last acceptance took, all resumed parts together.");
  out.sample({}, acceptance.seconds);
  return out.text();
}

}  // namespace gridlock::accept
