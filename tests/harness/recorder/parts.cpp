// Small programs as a user would write them; they know nothing of the recorder.
#include "tests/harness/recorder/parts.h"

#include <cuda_runtime.h>
#include <dlfcn.h>
#include <gridlock_sim/launch.h>
#include <nccl.h>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <sched.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/harness/recorder/recorded.h"

namespace gridlock {
namespace {

void wait_for_ever(void* /*unused*/) {
  for (;;) pause();
}

int collectives() {
  float* buffer = make_buffer();
  cudaStream_t stream = make_stream();
  ncclComm_t communicator = make_communicator("dp");
  nvtxRangePushA("step");
  for (int i = 0; i < 3; ++i) {
    nvtxRangePushA(i == 1 ? "second" : "other");
    all_reduce(buffer, communicator, stream);
    nvtxRangePop();
  }
  check(ncclBroadcast(buffer, buffer + 8, 8, ncclInt8, 0, communicator, stream));
  nvtxRangePop();
  check(cudaStreamSynchronize(stream));
  check(ncclCommDestroy(communicator));
  return 0;
}

// Whether the process has a timer, as /proc shows it.
void tell_timers() {
  const bool has = std::ifstream("/proc/self/timers").peek() != std::ifstream::traits_type::eof();
  std::puts(has ? "a timer" : "no timer");
  std::fflush(stdout);
}

int alarms() {
  tell_timers();
  alarm(1000);
  tell_timers();
  const pid_t child = fork();
  if (child == 0) {
    tell_timers();
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  if (const unsigned left = alarm(0); left != 1000 && left != 999) return 1;
  tell_timers();
  itimerval next{};
  next.it_value.tv_sec = 500;
  if (setitimer(ITIMER_REAL, &next, nullptr) != 0) return 2;
  tell_timers();
  next.it_value.tv_sec = 0;
  itimerval before{};
  if (setitimer(ITIMER_REAL, &next, &before) != 0 || before.it_value.tv_sec < 400) return 3;
  tell_timers();
  return 0;
}

// Handles of operators are any numbers. Among so many, some end with a byte that names a built-in
// one.
int own_reductions() {
  float* buffer = make_buffer();
  cudaStream_t stream = make_stream();
  ncclComm_t communicator = make_communicator();
  for (int i = 0; i < 1000; ++i) {
    float factor = 2;
    ncclRedOp_t own{};
    check(ncclRedOpCreatePreMulSum(&own, &factor, ncclFloat32, ncclScalarHostImmediate,
                                   communicator));
    check(ncclAllReduce(buffer, buffer + 4, 4, ncclFloat32, own, communicator, stream));
    check(ncclRedOpDestroy(own, communicator));
  }
  check(cudaStreamSynchronize(stream));
  check(ncclCommDestroy(communicator));
  return 0;
}

// As Python's ctypes reaches NCCL and CUDA.
int by_handle() {
  void* nccl = dlopen(GRIDLOCK_NCCL, RTLD_NOW | RTLD_LOCAL);
  void* cuda = dlopen(GRIDLOCK_CUDA, RTLD_NOW | RTLD_LOCAL);
  if (nccl == nullptr || cuda == nullptr) return 2;
  const auto reduce = reinterpret_cast<decltype(&ncclAllReduce)>(dlsym(nccl, "ncclAllReduce"));
  const auto wait =
      reinterpret_cast<decltype(&cudaStreamSynchronize)>(dlsym(cuda, "cudaStreamSynchronize"));
  if (reduce == nullptr || wait == nullptr || dlerror() != nullptr) return 3;
  if (dlsym(nccl, "ncclNoSuchCall") != nullptr || dlerror() == nullptr) return 4;
  // The recorder has this one, for programs with a default stream per thread; this CUDA has not.
  if (dlsym(cuda, "cudaEventRecord_ptsz") != nullptr || dlerror() == nullptr) return 7;
  float* buffer = make_buffer();
  cudaStream_t stream = make_stream();
  ncclComm_t communicator = make_communicator();
  check(reduce(buffer, buffer + 4, 4, ncclFloat32, ncclSum, communicator, stream));
  check(wait(stream));
  // What RTLD_NEXT means depends on who asks. Next to this program comes the recorder.
  if (dlsym(RTLD_NEXT, "ncclAllReduce") != dlsym(RTLD_DEFAULT, "ncclAllReduce")) return 5;
  // The recorder's for tools: no tool that stands before NCCL is asked.
  if (reinterpret_cast<void*>(reduce) != dlsym(RTLD_DEFAULT, "pncclAllReduce")) return 6;
  check(ncclCommDestroy(communicator));
  return 0;
}

int messages() {
  float* buffer = make_buffer();
  cudaStream_t streams[] = {make_stream(), make_stream()};
  ncclComm_t communicator = make_communicator();
  for (int i = 0; i < 2; ++i) {
    check(ncclGroupStart());
    check(ncclGroupStart());
    check(ncclSend(buffer, 4, ncclFloat32, 0, communicator, streams[0]));
    check(ncclGroupEnd());
    check(ncclRecv(buffer + 16, 4, ncclFloat32, 0, communicator, streams[0]));
    all_reduce(buffer + 32, communicator, streams[1]);
    check(ncclGroupEnd());
  }
  check(cudaDeviceSynchronize());
  return 0;
}

int split() {
  ncclComm_t communicator = make_communicator();
  ncclComm_t children[3] = {};
  check(ncclCommSplit(communicator, 0, 0, &children[0], nullptr));
  check(ncclCommSplit(communicator, 0, 0, &children[1], nullptr));
  check(ncclCommSplit(communicator, NCCL_SPLIT_NOCOLOR, 0, &children[2], nullptr));
  check(ncclCommDestroy(children[0]));
  return 0;
}

int waits_for_a_member() {
  ncclUniqueId id;
  ncclComm_t communicator = nullptr;
  check(ncclGetUniqueId(&id));
  nvtxRangePushA("setup");
  check(ncclCommInitRank(&communicator, 2, id, 1));
  return 0;
}

int waits_for_a_stream() {
  cudaStream_t stream = make_stream();
  check(cudaLaunchHostFunc(stream, wait_for_ever, nullptr));
  nvtxRangePushA("last words");
  check(cudaStreamSynchronize(stream));
  return 0;
}

int waits_for_the_device() {
  cudaStream_t stream = make_stream();
  check(cudaLaunchHostFunc(stream, wait_for_ever, nullptr));
  check(cudaDeviceSynchronize());
  return 0;
}

int event_wait() {
  cudaStream_t first = make_stream();
  cudaStream_t second = make_stream();
  cudaEvent_t event = nullptr;
  cudaEvent_t idle = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  check(cudaEventCreateWithFlags(&idle, cudaEventDisableTiming));
  check(cudaEventRecord(idle, second));
  check(cudaStreamWaitEvent(first, idle, 0));  // marks nothing
  check(cudaLaunchHostFunc(first, wait_for_ever, nullptr));
  check(cudaEventRecord(event, first));
  check(cudaStreamWaitEvent(first, event, 0));  // the same stream
  check(cudaStreamWaitEvent(second, event, 0));
  check(cudaEventSynchronize(event));
  return 0;
}

void do_nothing(void* /*unused*/) {}

// A kernel on the legacy stream waits for the work on a blocking stream.
int legacy_order() {
  cudaStream_t blocking = nullptr;
  check(cudaStreamCreate(&blocking));
  float* buffer = make_buffer();
  check(cudaLaunchHostFunc(blocking, wait_for_ever, nullptr));
  check(simLaunch(nullptr, do_nothing, nullptr, nullptr));
  check(simLaunch(nullptr, do_nothing, nullptr, nullptr));  // adds no new order
  void* host = std::malloc(64);
  check(cudaMemcpy(host, buffer, 64, cudaMemcpyDeviceToHost));
  return 0;
}

int threads() {
  std::thread([] { check(cudaDeviceSynchronize()); }).join();
  std::thread([] { check(cudaDeviceSynchronize()); }).join();
  check(cudaDeviceSynchronize());
  return 0;
}

// Four threads, one stream: the words must end at the last position, whichever thread came last.
int shared_stream() {
  cudaStream_t stream = make_stream();
  std::vector<std::thread> workers;
  workers.reserve(4);
  for (int i = 0; i < 4; ++i) {
    workers.emplace_back([stream] {
      for (int call = 0; call < 200; ++call) check(cudaLaunchHostFunc(stream, do_nothing, nullptr));
    });
  }
  for (std::thread& worker : workers) worker.join();
  check(cudaStreamSynchronize(stream));
  return 0;
}

// A nonblocking communicator, and a first operation on it.
int non_blocking() {
  ncclUniqueId id;
  ncclComm_t communicator = nullptr;
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  float* buffer = make_buffer();
  cudaStream_t stream = make_stream();
  check(ncclGetUniqueId(&id));
  const auto settle = [&communicator](ncclResult_t result) {
    while (result == ncclInProgress) check(ncclCommGetAsyncError(communicator, &result));
    check(result);
  };
  settle(ncclCommInitRankConfig(&communicator, 1, id, 0, &config));
  settle(ncclInProgress);
  settle(ncclAllReduce(buffer, buffer + 16, 16, ncclFloat32, ncclSum, communicator, stream));
  check(cudaStreamSynchronize(stream));
  return 0;
}

}  // namespace

int play(std::string_view name) {
  const std::map<std::string_view, int (*)()> parts = {
      {"collectives", collectives},
      {"own_reductions", own_reductions},
      {"by_handle", by_handle},
      {"messages", messages},
      {"split", split},
      {"waits_for_a_member", waits_for_a_member},
      {"waits_for_a_stream", waits_for_a_stream},
      {"waits_for_the_device", waits_for_the_device},
      {"event_wait", event_wait},
      {"asks_about_a_stream", asks_about_a_stream},
      {"asks_about_an_event", asks_about_an_event},
      {"leaves_no_addresses", leaves_no_addresses},
      {"asks_about_a_communicator", asks_about_a_communicator},
      {"asks_until_it_has_ended", asks_until_it_has_ended},
      {"legacy_order", legacy_order},
      {"threads", threads},
      {"refused", refused},
      {"simulated_group", simulated_group},
      {"no_communicator", no_communicator},
      {"missing_arguments", missing_arguments},
      {"empty_collective", empty_collective},
      {"refused_split", refused_split},
      {"init", init},
      {"refused_init", refused_init},
      {"refused_finalize", refused_finalize},
      {"refused_destroy", refused_destroy},
      {"refused_group_of_closings", refused_group_of_closings},
      {"group_of_closings", group_of_closings},
      {"failed_group_with_a_split", failed_group_with_a_split},
      {"failed_launch", failed_launch},
      {"memory_of_another_thread", memory_of_another_thread},
      {"free_of_another_thread", free_of_another_thread},
      {"waits_that_are_none", waits_that_are_none},
      {"free_on_another_device", free_on_another_device},
      {"group_beside_a_thread", group_beside_a_thread},
      {"group_over_an_allocation", group_over_an_allocation},
      {"copies_in_a_group", copies_in_a_group},
      {"own_messages_in_place", own_messages_in_place},
      {"group_of_many_streams", group_of_many_streams},
      {"groups_larger_than_the_ring", groups_larger_than_the_ring},
      {"graphs_hold", graphs_hold},
      {"graph_is_captured_into", graph_is_captured_into},
      {"group_left_open", group_left_open},
      {"streams_of_many_threads", streams_of_many_threads},
      {"shared_stream", shared_stream},
      {"non_blocking", non_blocking},
      {"forks", forks},
      {"forks_before", forks_before},
      {"names_its_threads", names_its_threads},
      {"stops_beside_a_new_thread", stops_beside_a_new_thread},
      {"alarms", alarms},
      {"jumps_out_of_a_wait", jumps_out_of_a_wait},
      {"jumps_inside_a_handler", jumps_inside_a_handler},
      {"starts_another_after_cuda", starts_another_after_cuda},
      {"starts_another_before_its_own", starts_another_before_its_own},
      {"says_and_stays", says_and_stays},
      {"starts_another_that_stays", starts_another_that_stays},
      {"starts_another_after_its_own", starts_another_after_its_own},
      {"becomes_another", becomes_another},
  };
  const auto found = parts.find(name);
  return found == parts.end() ? 99 : found->second();
}

}  // namespace gridlock
