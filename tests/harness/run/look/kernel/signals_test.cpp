// Which signals may interrupt a process, and whether a handler runs.
#include "harness/run/look/kernel/signals.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <functional>
#include <thread>

#include "tests/harness/run/look/kernel/asleep.h"

namespace gridlock::run {
namespace {

void handle(int) {}

TEST(SignalsOf, ATimersSignalMayComeByItself) {
  const auto signals = [](const std::function<void()>& prepare, bool speaks_mpi = false) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe(ends.data()), 0);
    Child child([&] {
      for (int number = 1; number < 32; ++number) std::signal(number, SIG_DFL);
      prepare();
      close(ends[1]);
      pause();
    });
    close(ends[1]);
    char byte = 0;
    EXPECT_EQ(read(ends[0], &byte, 1), 0);  // it is prepared
    close(ends[0]);
    return signals_of(child.pid(), thread_status(child.pid(), child.pid()), speaks_mpi);
  };
  using record::Signals;
  EXPECT_EQ(signals([] {}), Signals::none);
  EXPECT_EQ(signals([] { std::signal(SIGTERM, handle); }), Signals::none);
  EXPECT_EQ(signals([] { std::signal(SIGSEGV, handle); }), Signals::none);
  EXPECT_EQ(signals([] { std::signal(SIGUSR1, handle); }), Signals::sent);
  EXPECT_EQ(signals([] { std::signal(SIGALRM, handle); }), Signals::sent);
  EXPECT_EQ(signals([] { std::signal(SIGCHLD, handle); }), Signals::by_children);
  EXPECT_EQ(signals([] {
              std::signal(SIGCHLD, handle);
              std::signal(SIGUSR2, handle);
            }),
            Signals::sent);
  EXPECT_EQ(signals([] { std::signal(SIGUSR1, handle); }, true), Signals::none);
  EXPECT_EQ(signals([] { std::signal(SIGUSR2, handle); }, true), Signals::sent);
  EXPECT_EQ(signals([] {
              std::signal(SIGUSR1, handle);
              sigevent event{};
              event.sigev_notify = SIGEV_SIGNAL;
              event.sigev_signo = SIGUSR1;
              timer_t timer{};
              timer_create(CLOCK_MONOTONIC, &event, &timer);
            }),
            Signals::timed);
}

// Whether the child, which has come to pause(), may run a handler.
bool may_run_handler(const std::function<void()>& work) {
  Child child(work);
  const std::vector<JobProcess> job{child.in_job()};
  sleep_in(SYS_pause, job, job[0], child.pid());
  return Sleepers(job).may_run_handler(job[0], child.pid(),
                                       thread_status(child.pid(), child.pid()));
}

TEST(PassesSignalsOn, ALauncherOfMpisButNoOtherProgram) {
  EXPECT_FALSE(passes_signals_on(getpid()));
  std::filesystem::path folder = std::filesystem::temp_directory_path() / "gridlock_launchers";
  std::filesystem::create_directory(folder);
  std::filesystem::copy_file("/bin/sleep", folder / "mpiexec.hydra",
                             std::filesystem::copy_options::overwrite_existing);
  Child launcher([&] { execl((folder / "mpiexec.hydra").c_str(), "mpiexec", "60", nullptr); });
  while (!passes_signals_on(launcher.pid())) std::this_thread::yield();
  std::filesystem::remove_all(folder);
}

TEST(Handlers, AreSeenWhileTheySleep) {
  EXPECT_TRUE(may_run_handler([] {
    std::signal(SIGTERM, [](int) { pause(); });
    raise(SIGTERM);
  }));
  EXPECT_FALSE(may_run_handler([] {
    std::signal(SIGTERM, [](int) {});
    pause();
  }));
  EXPECT_FALSE(may_run_handler([] { pause(); }));
}

// It restores the default action, or the kernel has done so.
TEST(Handlers, AreSeenWhenTheirSignalIsNoLongerHandled) {
  EXPECT_TRUE(may_run_handler([] {
    std::signal(SIGTERM, [](int number) {
      std::signal(number, SIG_DFL);
      pause();
    });
    raise(SIGTERM);
  }));
  EXPECT_TRUE(may_run_handler([] {
    struct sigaction once {};
    once.sa_handler = [](int) { pause(); };
    once.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGTERM, &once, nullptr);
    raise(SIGTERM);
  }));
  EXPECT_FALSE(may_run_handler([] {
    sigset_t all{};
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    pause();
  }));
}

TEST(Handlers, AreSeenWhenTheyWakeBetweenTwoGlances) {
  Child child([] {
    struct sigaction once {};
    once.sa_handler = [](int) {
      while (true) usleep(1);
    };
    once.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGTERM, &once, nullptr);
    raise(SIGTERM);
  });
  const std::vector<JobProcess> job{child.in_job()};
  while (thread_status(child.pid(), child.pid()).blocked == 0) std::this_thread::yield();
  constexpr int kGlances = 2000;
  for (int asleep = 0; asleep < kGlances;) {
    const ThreadStatus status = thread_status(child.pid(), child.pid());
    if (status.state != 'S') continue;
    ++asleep;
    ASSERT_TRUE(Sleepers(job).may_run_handler(job[0], child.pid(), status)) << asleep;
  }
}

TEST(Handlers, AreSeenWhileTheyCompute) {
  Child child([] {
    std::signal(SIGTERM, [](int) {
      while (true) {
      }
    });
    raise(SIGTERM);
  });
  const std::vector<JobProcess> job{child.in_job()};
  while (thread_status(child.pid(), child.pid()).blocked == 0) std::this_thread::yield();
  EXPECT_TRUE(
      Sleepers(job).may_run_handler(job[0], child.pid(), thread_status(child.pid(), child.pid())));
}

TEST(OuterSignals, AreThoseOfAPersonAndOfFaults) {
  const auto handles = [](int signal, bool speaks_mpi = false) {
    return handles_outer_signal({.caught = signal_bit(signal)}, speaks_mpi);
  };
  EXPECT_TRUE(handles(SIGTERM));
  EXPECT_TRUE(handles(SIGSEGV)) << "another process may ask a handler for the stack";
  EXPECT_FALSE(handles(SIGUSR1));
  EXPECT_TRUE(handles(SIGUSR1, true));
}

}  // namespace
}  // namespace gridlock::run
