// Rank 0 waits for its helper's byte in a pipe. The helper sleeps at another pipe, to which rank 0
// writes later, and writes the byte in a handler.
#pragma once

#include <csignal>

#include "tests/adversarial/setup/helper.h"

inline int g_answers = -1;

// `prepare`: what the helper does before it sleeps, so that the signal comes.
template <class Prepare>
void wait_for_an_answering_helper(int signal, Prepare prepare) {
  const Training training;
  training.step();
  if (rank() == 0) {
    const Pipe orders;
    const Pipe answers;
    const pid_t helper = start_helper([&] {
      g_answers = answers.writing();
      struct sigaction action {};
      action.sa_handler = [](int) {
        if (write(g_answers, "x", 1) != 1) _exit(6);
      };
      action.sa_flags = SA_RESTART;
      sigaction(signal, &action, nullptr);
      prepare();
      char order = 0;
      if (read(orders.reading(), &order, 1) != 1) _exit(5);
    });
    char answer = 0;
    if (read(answers.reading(), &answer, 1) != 1) std::_Exit(5);
    if (write(orders.writing(), "x", 1) != 1) std::_Exit(6);
    wait_for(helper);
  }
  training.step();
}
