// What to do about a check that did not pass, in one or two sentences for those who run the
// machine.
#pragma once

#include <string>
#include <string_view>

#include "harness/detect/verdict/verdict.h"

namespace gridlock::accept {

// For a run of a variant with this role that did not end as declared.
std::string advice_on(detect::Outcome found, std::string_view role);

std::string advice_on_flakiness(std::string_view check);
std::string advice_on_noise(std::string_view check);
std::string advice_on_slowness(bool has_baseline);  // all ranks alike
std::string advice_on_a_rank();                     // one is slower than the others
std::string advice_on_few_peers();
std::string advice_on_baseline();
std::string advice_on_sharing();
std::string advice_on_missing();
std::string advice_on_infrastructure();

}  // namespace gridlock::accept
