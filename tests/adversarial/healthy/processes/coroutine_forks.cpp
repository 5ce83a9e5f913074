// A coroutine whose stack is an array of its caller's forks. The caller's variables lie below that
// array, where the recorder may clear nothing in the child.
// Expected: completes.
#include <ucontext.h>

#include <array>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

ucontext_t caller;
ucontext_t coroutine;
pid_t child = -1;

void body() { child = fork(); }

[[gnu::noinline]] bool keeps_its_variables() {
  std::array<char, 32768> stack;
  volatile int numbers[4096];
  for (int i = 0; i < 4096; ++i) numbers[i] = i;
  getcontext(&coroutine);
  coroutine.uc_stack.ss_sp = stack.data();
  coroutine.uc_stack.ss_size = stack.size();
  coroutine.uc_link = &caller;
  makecontext(&coroutine, body, 0);
  swapcontext(&caller, &coroutine);
  for (int i = 0; i < 4096; ++i) {
    if (numbers[i] != i) return false;
  }
  return true;
}

int program(int, char**) {
  const Training training;
  training.step();
  const bool keeps = keeps_its_variables();
  if (child == 0) _exit(keeps ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  if (!keeps || status != 0) return 5;
  training.step();
  return 0;
}
