#include "harness/record/program.h"

#include <sys/auxv.h>

#include <cstring>

namespace gridlock::record {

ProgramNumbers own_program() {
  const std::uint64_t at = getauxval(AT_RANDOM);
  const std::uint64_t kernel_code_at = getauxval(AT_SYSINFO_EHDR);
  if (at == 0) return {};
  RandomBytes bytes{};
  std::memcpy(&bytes, reinterpret_cast<const void*>(at),  // NOLINT(performance-no-int-to-ptr)
              sizeof bytes);
  return {.by_bytes = program_number(bytes), .by_addresses = program_number({at, kernel_code_at})};
}

}  // namespace gridlock::record
