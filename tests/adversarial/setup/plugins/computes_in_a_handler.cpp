// For Python: a thread that waits for Python's lock and computes in a handler meanwhile, and the
// thread that holds it.
#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

using namespace std::chrono_literals;

static int told_at = -1;

static void compute_and_tell(int) {
  const auto end = std::chrono::steady_clock::now() + 1s;
  while (std::chrono::steady_clock::now() < end) {
  }
  if (write(told_at, "x", 1) != 1) _exit(8);
}

// The handler writes to `descriptor`.
extern "C" void handle_term(int descriptor) {
  told_at = descriptor;
  struct sigaction action {};
  action.sa_handler = compute_and_tell;
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, nullptr);
}

// Lets `thread` wait for a while before it tells it by the signal, and reads what its handler
// writes.
//   Blocks   for the handler
extern "C" void signal_and_read(int descriptor, pthread_t thread) {
  std::this_thread::sleep_for(300ms);
  pthread_kill(thread, SIGTERM);
  char told = 0;
  if (read(descriptor, &told, 1) != 1) _exit(8);
}
