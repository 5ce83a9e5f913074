// Streams. If work must come after another stream's work, a wait for that stream's position goes
// into the queue before it. A thread reads the other streams' positions before it publishes its
// own, so two streams can never wait for each other.
#include "sim/cuda/interface/stream.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <utility>

#include "sim/cuda/devices/broken.h"
#include "sim/cuda/devices/device.h"
#include "sim/cuda/graphs/capture.h"
#include "sim/cuda/streams/futex.h"
#include "sim/cuda/streams/stream_object.h"

namespace sim {
namespace {

constexpr std::size_t kStackBytes = std::size_t{1} << 20;  // only touched pages cost memory
constexpr std::size_t kKeptCapacity = 1024;
// Work often comes in threes (a progress word, a collective, a progress word). So a thread without
// work yields to the program a few times before it sleeps.
constexpr int kYields = 6;

thread_local bool is_stream_thread = false;

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

// A destroyed stream is kept, because threads may still hold its handle or wait for a position.
// The registry keeps it reachable, so that a leak checker does not report it.
struct Registry {
  std::mutex mutex;
  std::vector<Stream*> streams;
};

void keep(Stream* stream) {
  static Registry& all = *new Registry;
  const std::lock_guard lock(all.mutex);
  all.streams.push_back(stream);
}

struct Nothing final : Work {
  void run() override {}
};

// A word to be stored, in a graph.
struct Store final : Work {
  explicit Store(const WordStore& what) : store(what) {}
  void run() override { store.run(); }
  WordStore store;
};

struct Await final : Work {
  explicit Await(Mark awaited) : mark(awaited) {}
  void run() override { mark.wait(); }
  Mark mark;
};

// The calling thread's own streams, one per device.
struct PerThread {
  std::vector<Stream*> streams;

  PerThread() = default;
  PerThread(const PerThread&) = delete;
  PerThread& operator=(const PerThread&) = delete;
  ~PerThread() {
    for (Stream* stream : streams) stream->close();
  }

  Stream* on(int number) {
    for (Stream* stream : streams) {
      if (stream->device() == number) return stream;
    }
    Device& owner = device(number);
    auto* stream = new Stream(number, Stream::Kind::kPerThread, cudaStreamDefault, 0);
    const std::lock_guard lock(owner.mutex);
    owner.streams.push_back(stream);
    streams.push_back(stream);
    return stream;
  }
};

Stream* per_thread_stream() {
  thread_local PerThread mine;
  return mine.on(current_device());
}

}  // namespace

bool Mark::reached() const { return stream == nullptr || stream->progress_.reached(position); }

void Mark::wait() const {
  if (!reached()) stream->progress_.wait(position);
}

void Stream::Entry::run(int device) {
  if (work != nullptr) {
    work->run();
    work.reset();  // before a waiter sees that it is done
  }
  if (!device_works(device)) return;
  for (const WordStore& store : stores) {
    if (store.bytes != 0) store.run();
  }
}

Stream::Stream(int device, Kind kind, unsigned int flags, int priority)
    : device_(device), kind_(kind), flags_(flags), priority_(priority), id_(next_id()) {
  keep(this);
}

bool Stream::is_stream(const void* pointer) {
  if (reinterpret_cast<std::uintptr_t>(pointer) % alignof(Stream) != 0) return false;
  return static_cast<const Stream*>(pointer)->alive_.load(std::memory_order_relaxed) == kAlive;
}

cudaError_t Stream::push(Entry entry, Mark* at) {
  if (kind_ != Kind::kLegacy) return push_in_order(std::move(entry), at);
  if (const cudaError_t error = refuse_legacy(device_); error != cudaSuccess) return error;
  const std::lock_guard lock(sim::device(device_).mutex);
  return push_in_order(std::move(entry), at);
}

cudaError_t Stream::push_in_order(Entry entry, Mark* at) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return cudaErrorInvalidResourceHandle;
    order_with_default_stream();
    const bool only_stores = entry.work == nullptr;
    // Nothing is ahead of it, and while the lock is held nothing can get ahead.
    if (only_stores && progress_.reached(appended_)) {
      entry.run(device_);
      return cudaSuccess;
    }
    if (!started_ && !start_thread()) return cudaErrorLaunchOutOfResources;
    const bool added = only_stores && !incoming_.empty() && incoming_.back().add(entry.stores[0]);
    if (!added) append(std::move(entry));
    const bool is_announced = submitted_.load(std::memory_order_relaxed) == appended_;
    if (is_announced) return cudaSuccess;  // the entry that it was added to was announced
    submitted_.store(appended_, std::memory_order_release);
    if (at != nullptr) *at = {this, appended_};
  }
  // The thread went to sleep under the lock, so this sees it.
  if (asleep_.load(std::memory_order_relaxed) != 0 && asleep_.exchange(0) != 0) {
    futex_wake(asleep_);
  }
  return cudaSuccess;
}

cudaError_t Stream::push_captured(std::unique_ptr<Work> work) {
  return capture_work(*this, std::move(work));
}

cudaError_t Stream::push_captured(WordStore store) {
  return capture_work(*this, std::make_unique<Store>(store));
}

void Stream::order_with_default_stream() {
  if (kind_ == Kind::kLegacy) {
    for (Stream* other : sim::device(device_).streams) {
      if (!other->blocking()) continue;
      const Mark mark = other->last();
      if (mark.position == other->seen_by_default_) continue;
      other->seen_by_default_ = mark.position;
      append_wait(mark);
    }
  } else if (blocking()) {
    const Mark mark = sim::device(device_).legacy->last();
    if (mark.position == default_seen_) return;
    default_seen_ = mark.position;
    append_wait(mark);
  }
}

void Stream::append(Entry entry) {
  incoming_.push_back(std::move(entry));
  ++appended_;
}

void Stream::append_wait(Mark mark) {
  if (!mark.reached()) append({std::make_unique<Await>(mark), {}});
}

Mark Stream::mark() {
  bool others = kind_ == Kind::kLegacy;
  if (blocking()) {
    const std::lock_guard lock(mutex_);
    others = sim::device(device_).legacy->submitted_.load() != default_seen_;
  }
  Mark result = last();
  if (others) static_cast<void>(push(std::make_unique<Nothing>(), &result));
  return result;
}

std::vector<Mark> Stream::ends() {
  std::vector<Mark> all{last()};
  if (kind_ != Kind::kLegacy) return all;
  Device& owner = sim::device(device_);
  const std::lock_guard lock(owner.mutex);
  for (Stream* other : owner.streams) {
    if (other->blocking()) all.push_back(other->last());
  }
  return all;
}

bool Stream::done() {
  return std::ranges::all_of(ends(), [](const Mark& mark) { return mark.reached(); });
}

bool Stream::start_thread() {
  // Signals are for the program's threads.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_t thread;
  started_ = pthread_create(&thread, &attributes, &Stream::serve, this) == 0;
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started_;
}

void* Stream::serve(void* self) {
  pthread_setname_np(pthread_self(), "sim-stream");
  is_stream_thread = true;
  auto& stream = *static_cast<Stream*>(self);
  set_current_device(stream.device_);
  std::vector<Entry> batch;
  std::uint64_t position = 0;
  while (stream.take(batch, position)) {
    for (Entry& entry : batch) {
      entry.run(stream.device_);
      stream.progress_.advance(++position);
    }
    batch.clear();
    if (batch.capacity() > kKeptCapacity) batch.shrink_to_fit();
  }
  Device& owner = sim::device(stream.device_);
  const std::lock_guard lock(owner.mutex);
  std::erase(owner.streams, &stream);
  return nullptr;
}

// Fills `batch` with all queued work. False if the stream is closed and nothing is left.
bool Stream::take(std::vector<Entry>& batch, std::uint64_t position) {
  for (int i = 0; i < kYields && submitted_.load() == position; ++i) sched_yield();
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      if (!incoming_.empty()) {
        batch.swap(incoming_);
        return true;
      }
      if (closed_) return false;
      asleep_.store(1);
    }
    while (asleep_.load() != 0) futex_wait(asleep_, 1);
  }
}

void Stream::close() {
  alive_.store(0);
  Device& owner = sim::device(device_);
  const std::lock_guard device_lock(owner.mutex);
  const std::lock_guard lock(mutex_);
  closed_ = true;
  if (!started_) std::erase(owner.streams, this);
  asleep_.store(0);
  futex_wake(asleep_);
}

Stream* find_stream(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy) return device(current_device()).legacy;
  if (handle == cudaStreamPerThread) return per_thread_stream();
  if (!Stream::is_stream(handle)) return nullptr;
  return reinterpret_cast<Stream*>(handle);
}

cudaError_t wait_in_stream(Stream& stream, Mark mark) {
  if (mark.stream == nullptr || mark.stream == &stream || mark.reached()) return cudaSuccess;
  return stream.push(std::make_unique<Await>(mark));
}

bool on_stream_thread() { return is_stream_thread; }

cudaError_t enqueue(cudaStream_t stream, std::unique_ptr<Work> work) {
  Stream* target = find_stream(stream);
  if (target == nullptr) return cudaErrorInvalidResourceHandle;
  if (const cudaError_t error = broken(target->device()); error != cudaSuccess) return error;
  return target->push(std::move(work));
}

bool is_captured(cudaStream_t stream) {
  const Stream* target = find_stream(stream);
  return target != nullptr && target->captured();
}

cudaError_t order(cudaStream_t earlier, cudaStream_t later) {
  Stream* first = find_stream(earlier);
  Stream* second = find_stream(later);
  if (first == nullptr || second == nullptr) return cudaErrorInvalidResourceHandle;
  if (first->captured() || second->captured()) return capture_order(*first, *second);
  return wait_in_stream(*second, first->mark());
}

int device_of(cudaStream_t stream) {
  const Stream* target = find_stream(stream);
  return target == nullptr ? current_device() : target->device();
}

}  // namespace sim
