// Parts that fork, start programs and have threads of a name of their own.
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "tests/harness/recorder/parts.h"

namespace gridlock {

int forks() {
  cudaStream_t stream = make_stream();
  check(cudaLaunchHostFunc(
      stream, [](void*) {}, nullptr));
  check(cudaStreamSynchronize(stream));
  const pid_t worker = fork();
  if (worker == 0) {
    nvtxRangePushA("worker");
    make_stream();
    make_buffer();
    std::_Exit(0);
  }
  int status = 0;
  return waitpid(worker, &status, 0) == worker ? 0 : 1;
}

// A thread of the program, with a name like a library's threads, besides those that the libraries
// start.
int names_its_threads() {
  all_reduce(make_buffer(), make_communicator(), make_stream());
  std::thread own([] {
    pthread_setname_np(pthread_self(), "nccl-watch");
    make_stream();
    for (;;) pause();
  });
  own.join();
  return 0;
}

// Stops right after a library has started a thread, which has had no core by then if this process
// may choose its scheduler.
int stops_beside_a_new_thread() {
  float* buffer = make_buffer();
  cudaStream_t stream = make_stream();
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) return 1;
  const sched_param first{.sched_priority = 1};
  if (sched_setscheduler(0, SCHED_FIFO, &first) != 0) std::puts("an ordinary scheduler");
  std::fflush(stdout);
  check(cudaMemsetAsync(buffer, 0, 16, stream));
  raise(SIGSTOP);
  check(cudaStreamSynchronize(stream));
  return 0;
}

// A launcher that forks first and becomes a rank in the child.
int forks_before() {
  const pid_t worker = fork();
  if (worker == 0) {
    cudaStream_t stream = make_stream();
    check(cudaStreamSynchronize(stream));
    std::printf("%d", static_cast<int>(getpid()));
    std::fflush(stdout);
    std::_Exit(0);
  }
  int status = 0;
  return waitpid(worker, &status, 0) == worker ? 0 : 1;
}

int becomes_another() {
  all_reduce(make_buffer(), make_communicator(), make_stream());
  execl("/proc/self/exe", "again", "--part", "collectives", nullptr);
  return 1;
}

// Another program of the rank makes communicators.
int starts_another() { return std::system("/proc/$PPID/exe --part collectives") == 0 ? 0 : 1; }

int starts_another_after_cuda() {
  check(cudaStreamSynchronize(make_stream()));
  return starts_another();
}

int starts_another_before_its_own() {
  const int result = starts_another_after_cuda();
  static_cast<void>(make_communicator());
  return result;
}

// Makes a communicator of one rank, says its process id, and stays.
int says_and_stays() {
  static_cast<void>(make_communicator());
  std::printf("%d\n", getpid());
  std::fclose(stdout);
  pause();
  return 0;
}

int starts_another_that_stays() {
  check(cudaStreamSynchronize(make_stream()));
  std::FILE* said = popen("exec /proc/$PPID/exe --part says_and_stays", "r");
  int other = 0;
  if (said == nullptr || std::fscanf(said, "%d", &other) != 1) return 1;
  static_cast<void>(make_communicator());
  kill(other, SIGKILL);
  pclose(said);
  return 0;
}

int starts_another_after_its_own() {
  all_reduce(make_buffer(), make_communicator(), make_stream());
  return starts_another();
}

}  // namespace gridlock
