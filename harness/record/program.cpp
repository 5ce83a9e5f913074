#include "harness/record/program.h"

#include <sys/auxv.h>

namespace gridlock::record {

ProgramNumbers own_program() {
  const std::uint64_t at = getauxval(AT_RANDOM);
  const std::uint64_t kernel_code_at = getauxval(AT_SYSINFO_EHDR);
  if (at == 0) return {};
  const auto* random = reinterpret_cast<const char*>(at);  // NOLINT(performance-no-int-to-ptr)
  return {.by_bytes = program_number(at, kernel_code_at, {random, kRandomBytes}),
          .by_addresses = program_number(at, kernel_code_at, {})};
}

}  // namespace gridlock::record
