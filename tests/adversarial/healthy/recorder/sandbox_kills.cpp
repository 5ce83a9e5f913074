// Each rank is in a sandbox: a process that reads others' memory (process_vm_readv) is killed
// (seccomp). The ranks split a non-blocking communicator.
// Naive view: a recorder may make any system call.
// Expected: completes.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cstddef>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

namespace {
void forbid(unsigned call) {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{.len = sizeof filter / sizeof *filter, .filter = filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    std::_Exit(9);
  }
}
void wait_until_ready(ncclComm_t comm) {
  ncclResult_t state = ncclInProgress;
  while (state == ncclInProgress) {
    check(ncclCommGetAsyncError(comm, &state));
    pause_ms(1);
  }
  check(state);
}
void check_begun(ncclResult_t result) {
  if (result != ncclInProgress) check(result);
}
}  // namespace

int program(int, char**) {
  forbid(SYS_process_vm_readv);
  check(cudaSetDevice(number_from("LOCAL_RANK")));
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ncclComm_t world = nullptr;
  ncclComm_t child = nullptr;
  check_begun(
      ncclCommInitRankConfig(&world, ranks(), exchange_id(rank(), ranks()), rank(), &config));
  wait_until_ready(world);
  if (rank() == 1) pause_ms(300);
  check_begun(ncclCommSplit(world, 0, rank(), &child, &config));
  wait_until_ready(world);
  wait_until_ready(child);
  float* data = device_floats();
  const cudaStream_t stream = make_stream();
  check_begun(ncclAllReduce(data, data, 8, ncclFloat, ncclSum, child, stream));
  wait_until_ready(child);
  check(cudaStreamSynchronize(stream));
  return 0;
}
