// Runs the program that is its first argument, and really makes its calls. Every rank is a thread
// of this process with its own device. With a second argument, the process is only the rank $RANK,
// and the argument names a file in which all ranks find the communicators' ids. The runner starts
// the worker with the recorder preloaded, and kills it at the end.
//
// If all ranks are in one process: on stdout, one line each: "thread <rank> <tid>" before a rank's
// first call, "returned <rank>" after its last one, "crashed <rank>" if it dies instead, "failed
// <sentence>" if a call gave an error.
#include "tests/fuzz/live/worker.h"

#include <cuda_runtime.h>
#include <errno.h>
#include <fcntl.h>
#include <nccl.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "scenarios/runtime/source_location.h"
#include "tests/fuzz/live/worker_mpi.h"
#include "tests/fuzz/programs/program.h"

namespace gridlock::fuzz {
namespace {

constexpr std::chrono::milliseconds kNap{3};
constexpr std::chrono::milliseconds kLate{150};
constexpr std::chrono::microseconds kMoment{100};

void say(const std::string& line) {
  const std::string text = line + "\n";
  static_cast<void>(!write(STDOUT_FILENO, text.data(), text.size()));
}

[[noreturn]] void fail(const std::string& what, SourceLocation at) {
  throw std::runtime_error(what + " at line " + std::to_string(at.line()));
}

void check(cudaError_t error, SourceLocation at = SourceLocation::current()) {
  if (error != cudaSuccess) fail(cudaGetErrorString(error), at);
}

void check(ncclResult_t result, SourceLocation at = SourceLocation::current()) {
  if (result != ncclSuccess) fail(ncclGetErrorString(result), at);
}

template <class Value>
Value& at(std::vector<Value>& values, int index) {
  return values.at(static_cast<std::size_t>(index));
}

// Overwrites the return addresses that earlier calls of CUDA left below this frame. If one comes to
// lie in a sleeper's frame, it looks like a call that the sleeper is in, and nothing is proven.
[[gnu::noinline]] void clear_stack() {
  std::array<volatile char, 4096> below;
  for (volatile char& byte : below) byte = 0;
}

// What the threads of a rank count together.
class Counter {
 public:
  void post() {
    const std::lock_guard lock(mutex_);
    ++value_;
    changed_.notify_one();
  }
  // Blocks   until another thread of the rank has posted more often than was awaited
  void await() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return value_ > 0; });
    --value_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int value_ = 0;
};

// What signals count; a handler may add to it.
class Signalled {
 public:
  // REQUIRES  it is the only one
  Signalled() {
    if (sem_init(&g_signals, 0, 0) != 0) throw std::runtime_error("no semaphore");
    struct sigaction action {};
    action.sa_handler = [](int) { sem_post(&g_signals); };
    action.sa_flags = SA_RESTART;
    sigaction(number(), &action, nullptr);
  }
  // Signals of this kind queue up.
  static int number() { return SIGRTMIN; }
  // Blocks   until there were more signals than were awaited
  static void await() {
    while (sem_wait(&g_signals) != 0 && errno == EINTR) {
    }
  }

 private:
  inline static sem_t g_signals;
};

// Where the processes of all ranks meet.
struct Meeting {
  std::array<ncclUniqueId, kMaxCommunicators> ids;
  std::array<std::atomic<bool>, kMaxCommunicators> ready;  // the id is there
  std::array<std::atomic<pid_t>, kMaxRanks> pids;
};
static_assert(sizeof(Meeting) <= kMeetingBytes);

// What one rank holds while it runs. Nothing is freed, because the process ends by a kill.
class Rank {
 public:
  //   Collective   all ranks, because it makes the communicators
  //   meeting      of the ranks' processes; null if all are threads of this process
  Rank(const Program& program, int rank, const std::vector<ncclUniqueId>& ids,
       const Meeting* meeting = nullptr)
      : program_(program), rank_(rank), meeting_(meeting), threads_(threads_of(program, rank)) {
    check(cudaSetDevice(rank));
    // No one checks the data, so all operations read one buffer. Each stream has one buffer to
    // write, because two streams that write the same one would race. A gather has one part per
    // rank.
    check(cudaMalloc(&source_, kLargeBytes * kMaxRanks));
    for (int index = 0; index < kMaxStreams; ++index) {
      check(cudaMalloc(&targets_.emplace_back(), kLargeBytes * kMaxRanks));
    }
    const std::size_t communicators = ids.size() - (program.mpi ? 1 : 0);
    for (std::size_t index = 0; index < communicators; ++index) {
      const std::vector<int>& members = program.communicators[index];
      ncclComm_t communicator = nullptr;
      const int own = rank_in(members, rank);
      if (own >= 0) {
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        const std::string name(1, static_cast<char>('A' + index));
        config.commName = name.c_str();
        check(ncclCommInitRankConfig(&communicator, static_cast<int>(members.size()), ids[index],
                                     own, &config));
      }
      communicators_.push_back(communicator);
    }
    for (int index = 0; index < kMaxStreams; ++index) {
      check(cudaStreamCreateWithFlags(&streams_.emplace_back(), is_blocking_stream(index)
                                                                    ? cudaStreamDefault
                                                                    : cudaStreamNonBlocking));
    }
    for (int index = 0; index < kMaxEvents; ++index) {
      check(cudaEventCreateWithFlags(&events_.emplace_back(), cudaEventDisableTiming));
    }
  }

  // Returns  whether the rank came to its end without a crash
  // Blocks   as the program does, perhaps for ever
  bool run() {
    std::vector<std::thread> others;
    for (std::size_t index = 1; index < threads_.size(); ++index) {
      others.emplace_back([this, index] {
        try {
          check(cudaSetDevice(rank_));
          run(*threads_[index]);
        } catch (const std::exception& error) {
          say("failed rank " + std::to_string(rank_) + ": " + error.what());
        }
      });
    }
    if (!run(*threads_.front())) return false;
    for (std::thread& other : others) other.join();
    check(cudaDeviceSynchronize());
    return true;
  }

 private:
  bool run(const std::vector<Instruction>& code) {
    for (std::size_t begin = 0; begin < code.size();) {
      if (code[begin].op == Op::crash) {
        check(cudaDeviceSynchronize());
        return false;
      }
      const std::size_t end = group_end(code, begin);
      if (end - begin > 1) check(ncclGroupStart());
      for (std::size_t index = begin; index < end; ++index) call(code[index]);
      if (end - begin > 1) check(ncclGroupEnd());
      begin = end;
    }
    return true;
  }

  void call(const Instruction& instruction) {
    if (is_mpi(program_, instruction)) {
      call_mpi(instruction);
    } else if (is_communication(instruction.op)) {
      communicate(instruction, at(communicators_, instruction.communicator));
    } else {
      order(instruction);
    }
  }

  void order(const Instruction& instruction) {
    switch (instruction.op) {
      case Op::record_event:
        check(cudaEventRecord(at(events_, instruction.event), at(streams_, instruction.stream)));
        break;
      case Op::wait_event:
        check(cudaStreamWaitEvent(at(streams_, instruction.stream), at(events_, instruction.event),
                                  0));
        break;
      case Op::sync_event:
        check(cudaEventSynchronize(at(events_, instruction.event)));
        break;
      case Op::sync_stream:
        check(cudaStreamSynchronize(at(streams_, instruction.stream)));
        break;
      case Op::copy:
        copy();
        break;
      case Op::free: {
        void* memory = nullptr;
        check(cudaMalloc(&memory, kSmallBytes));
        check(cudaFree(memory));
        break;
      }
      case Op::post:
        at(counters_, instruction.event).post();
        break;
      case Op::await:
        clear_stack();
        if (instruction.event == kSignalled) {
          Signalled::await();
        } else {
          at(counters_, instruction.event).await();
        }
        break;
      case Op::kick:
        kick(meeting_->pids.at(static_cast<std::size_t>(instruction.peer)));
        break;
      case Op::nap:
        std::this_thread::sleep_for(kNap);
        break;
      case Op::split: {
        ncclComm_t child = nullptr;
        check(ncclCommSplit(at(communicators_, instruction.communicator), 0, 0, &child, nullptr));
        break;
      }
      case Op::destroy:
        check(ncclCommDestroy(at(communicators_, instruction.communicator)));
        break;
      case Op::drop:
        check(ncclCommAbort(at(communicators_, instruction.communicator)));
        break;
      case Op::refused:
        if (ncclAllReduce(source_, at(targets_, instruction.stream), 1, ncclNumTypes, ncclSum,
                          at(communicators_, instruction.communicator),
                          at(streams_, instruction.stream)) != ncclInvalidArgument) {
          throw std::runtime_error("NCCL took a type that does not exist");
        }
        break;
      case Op::abort:
        check(cudaDeviceSynchronize());
        check(ncclCommAbort(at(communicators_, instruction.communicator)));
        break;
      default:
        check(cudaDeviceSynchronize());
        break;
    }
  }

  // The other may not have come yet, or have left.
  static void kick(const std::atomic<pid_t>& other) {
    while (other == 0) std::this_thread::sleep_for(kMoment);
    kill(other, Signalled::number());
  }

  // Has a frame of its own, because of what clear_stack() says.
  [[gnu::noinline]] void copy() {
    std::array<char, kSmallBytes> pageable;
    check(cudaMemcpy(pageable.data(), source_, kSmallBytes, cudaMemcpyDeviceToHost));
  }

  void communicate(const Instruction& call, ncclComm_t communicator) {
    const cudaStream_t stream = at(streams_, call.stream);
    void* target = at(targets_, call.stream);
    const std::size_t bytes = call.size == Size::small ? kSmallBytes : kLargeBytes;
    const std::size_t count = bytes / sizeof(float);
    switch (call.op) {
      case Op::all_reduce:
        check(ncclAllReduce(source_, target, count, ncclFloat, ncclSum, communicator, stream));
        break;
      case Op::all_gather:
        check(ncclAllGather(source_, target, count, ncclFloat, communicator, stream));
        break;
      case Op::reduce_scatter:
        check(ncclReduceScatter(source_, target, count, ncclFloat, ncclSum, communicator, stream));
        break;
      case Op::broadcast:
        check(ncclBroadcast(source_, target, count, ncclFloat, call.peer, communicator, stream));
        break;
      case Op::reduce:
        check(ncclReduce(source_, target, count, ncclFloat, ncclSum, call.peer, communicator,
                         stream));
        break;
      case Op::send:
        check(ncclSend(source_, count, ncclFloat, call.peer, communicator, stream));
        break;
      default:
        check(ncclRecv(target, count, ncclFloat, call.peer, communicator, stream));
        break;
    }
  }

  const Program& program_;
  int rank_;
  const Meeting* meeting_;
  std::vector<const std::vector<Instruction>*> threads_;
  std::vector<Counter> counters_ = std::vector<Counter>(kMaxEvents);
  void* source_ = nullptr;
  std::vector<void*> targets_;  // by stream
  std::vector<ncclComm_t> communicators_;
  std::vector<cudaStream_t> streams_;
  std::vector<cudaEvent_t> events_;
};

void run_rank(const Program& program, int rank, const std::vector<ncclUniqueId>& ids) {
  try {
    say("thread " + std::to_string(rank) + " " + std::to_string(syscall(SYS_gettid)));
    const bool returned = Rank(program, rank, ids).run();
    say((returned ? "returned " : "crashed ") + std::to_string(rank));
  } catch (const std::exception& error) {
    say("failed rank " + std::to_string(rank) + ": " + error.what());
  }
}

void run_ranks(const Program& program) {
  std::vector<ncclUniqueId> ids(program.communicators.size());
  for (ncclUniqueId& id : ids) check(ncclGetUniqueId(&id));
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    threads.emplace_back(run_rank, std::cref(program), static_cast<int>(rank), std::cref(ids));
  }
  for (std::thread& thread : threads) thread.join();
}

//   Collective   all ranks, in a file that begins with zeros
//   Blocks       until the first members of this rank's communicators have called
Meeting& meet(const char* place, int rank, const Program& program) {
  const int file = open(place, O_RDWR | O_CLOEXEC);
  void* const memory = mmap(nullptr, kMeetingBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("no meeting place");
  close(file);
  auto& meeting = *static_cast<Meeting*>(memory);
  meeting.pids.at(static_cast<std::size_t>(rank)) = getpid();
  // Whoever makes an id must be there until all members have joined, so it is one of them.
  for (std::size_t index = 0; index < program.communicators.size(); ++index) {
    if (rank_in(program.communicators[index], rank) != 0) continue;
    check(ncclGetUniqueId(&meeting.ids.at(index)));
    meeting.ready.at(index) = true;
  }
  for (std::size_t index = 0; index < program.communicators.size(); ++index) {
    if (rank_in(program.communicators[index], rank) < 0) continue;
    while (!meeting.ready.at(index)) std::this_thread::sleep_for(kMoment);
  }
  return meeting;
}

int own_rank() {
  const char* const text = std::getenv("RANK");
  if (text == nullptr) throw std::runtime_error("RANK is not set");
  return std::atoi(text);
}

int run_one_rank(const Program& program, const char* place) {
  const int rank = program.mpi ? begin_mpi() : own_rank();
  if (std::ranges::find(program.late, rank) != program.late.end()) {
    std::this_thread::sleep_for(kLate);
  }
  std::optional<Signalled> signals;  // a handler makes a proof wait, because a signal might come
  if (uses_signals(program)) signals.emplace();
  const Meeting& meeting = meet(place, rank, program);
  const auto begin = meeting.ids.begin();
  const std::vector<ncclUniqueId> ids(
      begin, begin + static_cast<std::ptrdiff_t>(program.communicators.size()));
  const bool returned = Rank(program, rank, ids, &meeting).run();
  if (!returned) kill(getpid(), SIGKILL);
  if (program.mpi) end_mpi();
  return 0;
}

}  // namespace
}  // namespace gridlock::fuzz

int main(int count, char** arguments) {
  try {
    const gridlock::fuzz::Program program = gridlock::fuzz::parse(count > 1 ? arguments[1] : "");
    if (count > 2) return gridlock::fuzz::run_one_rank(program, arguments[2]);
    gridlock::fuzz::run_ranks(program);
  } catch (const std::exception& error) {
    gridlock::fuzz::say(std::string("failed ") + error.what());
    return 1;
  }
  for (;;) pause();  // the runner ends it
}
