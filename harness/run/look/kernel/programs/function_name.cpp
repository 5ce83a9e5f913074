// One pass that skips template arguments and stops at the parameters.
#include "harness/run/look/kernel/programs/function_name.h"

namespace gridlock::run {

std::string function_name(std::string_view name) {
  std::string plain;
  int depth = 0;
  for (std::size_t at = 0; at < name.size(); ++at) {
    const char letter = name[at];
    if (letter == '<') ++depth;
    if (depth == 0) {
      if (letter == '(' && !plain.empty() && !plain.ends_with("::")) break;
      if (name.substr(at).starts_with("{lambda")) break;
      plain += letter;
    }
    if (letter == '>') --depth;
  }
  if (plain.ends_with("::")) plain.resize(plain.size() - 2);
  if (plain.empty() && !name.empty()) return "lambda";
  const auto scope = plain.rfind("::");
  return scope == std::string::npos ? plain : plain.substr(scope + 2);
}

}  // namespace gridlock::run
