// At each exec, the kernel gives a program 16 random bytes, and says where in the auxiliary vector.
#include "harness/run/look/kernel/programs/executed.h"

#include <fmt/format.h>
#include <linux/kcmp.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <span>
#include <string>
#include <string_view>

#include "harness/run/look/kernel/address_space.h"
#include "harness/run/look/kernel/kernel_view.h"
#include "harness/run/look/kernel/proc.h"

namespace gridlock::run {
namespace {

// Its memory's size and what of it is present, in pages; "" if there is none.
std::string memory_size(std::int64_t pid) {
  return proc_text(fmt::format("/proc/{}/statm", thread_that_shows(pid)));
}

}  // namespace

std::uint64_t executed_program(std::int64_t pid) {
  std::int64_t thread = pid;
  std::string vector = auxiliary_vector(thread);
  if (vector.empty()) {  // a first thread that has ended has no memory
    thread = thread_that_shows(pid);
    vector = auxiliary_vector(thread);
  }
  const std::uint64_t at = auxiliary(vector, AT_RANDOM).value_or(0);
  if (at == 0) return 0;
  const std::uint64_t kernel_code_at = auxiliary(vector, AT_SYSINFO_EHDR).value_or(0);
  record::RandomBytes bytes{};
  if (!read_memory(thread, at, std::as_writable_bytes(std::span(bytes)))) {
    if (errno == EFAULT || errno == ESRCH) return 0;      // it is just being replaced
    return record::program_number({at, kernel_code_at});  // nobody may read them
  }
  return record::program_number(bytes);
}

bool executes_another(std::int64_t pid, const record::ProgramNumbers& first) {
  const std::uint64_t program = executed_program(pid);
  if (first.has(program) || first.by_bytes == 0) return false;
  return program != 0 || !is_process_ending(pid);
}

bool may_share_memory(std::int64_t one, std::int64_t other) {
  const long order =
      syscall(SYS_kcmp, thread_that_shows(one), thread_that_shows(other), KCMP_VM, 0UL, 0UL);
  if (order >= 0) return order == 0;
  if (errno == ESRCH) return false;
  // The call is refused, as in many containers. Then memory of another program or of another size
  // is not the same.
  const std::uint64_t program = executed_program(one);
  const std::uint64_t others = executed_program(other);
  if (program != 0 && others != 0 && program != others) return false;
  const std::string before = memory_size(one);
  const std::string of_other = memory_size(other);
  return before != memory_size(one) || before == of_other;
}

}  // namespace gridlock::run
