// Intercepts pthread_create, which std::thread also calls.
#include "harness/recorder/core/process/library_threads.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "harness/record/vendors.h"
#include "harness/record/words.h"
#include "harness/recorder/core/interpose.h"
#include "harness/recorder/core/process/handles.h"

namespace gridlock::recorder {
namespace {

using Routine = void* (*)(void*);

std::atomic<std::int64_t> g_tids[record::kLibraryThreads];

// The file that `address` was loaded from; "" for the program itself, or if there is none. Takes no
// lock, because the thread may be started while another loads a library and waits for it.
std::string_view file_of(void* address) {
#if __GLIBC_PREREQ(2, 35)
  dl_find_object found{};
  if (_dl_find_object(address, &found) != 0 || found.dlfo_link_map == nullptr) return {};
  return found.dlfo_link_map->l_name;
#else
  Dl_info found{};
  return dladdr(address, &found) == 0 || found.dli_fname == nullptr ? "" : found.dli_fname;
#endif
}

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// The name of the library whose code the thread will run; "" if that is not one of the vendors',
// nor the recorder. libstdc++'s own routine runs an object whose vtable is in the file that used
// std::thread.
std::string_view library_of(Routine routine, void* argument) {
  std::string_view file = file_of(reinterpret_cast<void*>(routine));
  if (name_of(file).starts_with("libstdc++") && argument != nullptr) {
    file = file_of(*static_cast<void**>(argument));
  }
  const std::string_view name = name_of(file);
  return record::is_vendors(file) || name.starts_with("libgridlock_recorder") ? name : "";
}

void show(std::size_t at, std::int64_t tid) {
  g_tids[at].store(tid, std::memory_order_release);
  if (g_recording.load(std::memory_order_acquire) == Recording::on) {
    record::store_release(writer().box().library_threads[at], tid);
  }
}

void at_thread_end(void* entry) {
  show(static_cast<std::size_t>(static_cast<std::atomic<std::int64_t>*>(entry) - g_tids), 0);
}

// Whether at_thread_end() will run with `argument`. No: the process has no key left.
bool await_end(const void* argument) {
  static const std::optional<pthread_key_t> key = []() -> std::optional<pthread_key_t> {
    pthread_key_t made{};
    if (pthread_key_create(&made, at_thread_end) != 0) return std::nullopt;
    return made;
  }();
  return key && pthread_setspecific(*key, argument) == 0;
}

// A place for a thread that is about to be created; kLibraryThreads if there is none. A thread that
// finds no room counts as the program's: it may act.
std::size_t reserve() {
  for (std::size_t at = 0; at < record::kLibraryThreads; ++at) {
    std::int64_t free = 0;
    if (!g_tids[at].compare_exchange_strong(free, record::kLibraryThreadToCome,
                                            std::memory_order_acq_rel)) {
      continue;
    }
    show(at, record::kLibraryThreadToCome);
    return at;
  }
  return record::kLibraryThreads;
}

void enter(std::size_t at) {
  if (at == record::kLibraryThreads) return;
  show(at, syscall(SYS_gettid));
  // Otherwise a thread of the program may get its number later, so it counts as the program's now.
  if (!await_end(&g_tids[at])) show(at, 0);
}

void cancel(std::size_t at) {
  if (at != record::kLibraryThreads) show(at, 0);
}

struct Start {
  Routine routine;
  void* argument;
  std::size_t place;
  bool is_nccls;
};

void* run(void* memory) {
  const Start start = *static_cast<Start*>(memory);
  std::free(
      memory);  // NOLINT(cppcoreguidelines-no-malloc): the program may have its own operator new
  enter(start.place);
  this_thread().is_nccls = start.is_nccls;
  return start.routine(start.argument);
}

}  // namespace

void publish_library_threads() {
  for (std::size_t at = 0; at < record::kLibraryThreads; ++at) {
    record::store_release(writer().box().library_threads[at],
                          g_tids[at].load(std::memory_order_acquire));
  }
}

void forget_library_threads() {
  for (auto& tid : g_tids) tid.store(0, std::memory_order_relaxed);
}

}  // namespace gridlock::recorder

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): the C library's are reserved
GRIDLOCK_INTERPOSE int pthread_create(pthread_t* made, const pthread_attr_t* attributes,
                                      void* (*routine)(void*), void* argument) noexcept(true) {
  using namespace gridlock::recorder;  // NOLINT(google-build-using-namespace): one function
  using Create = int(pthread_t*, const pthread_attr_t*, Routine, void*);
  static auto* const create = reinterpret_cast<Create*>(symbol_of(RTLD_NEXT, "pthread_create"));
  if (create == nullptr) return EAGAIN;
  const std::string_view library = g_recording.load(std::memory_order_relaxed) == Recording::off
                                       ? ""
                                       : library_of(routine, argument);
  if (library.empty()) return create(made, attributes, routine, argument);
  auto* start = static_cast<Start*>(std::malloc(sizeof(Start)));  // NOLINT: see run()
  if (start == nullptr) return EAGAIN;
  *start = {.routine = routine,
            .argument = argument,
            .place = reserve(),
            .is_nccls = library.starts_with("libnccl")};
  const std::size_t place = start->place;  // a thread that begins frees `start`
  const int result = create(made, attributes, run, start);
  if (result != 0) {
    cancel(place);
    std::free(start);  // NOLINT: see run()
  }
  return result;
}
