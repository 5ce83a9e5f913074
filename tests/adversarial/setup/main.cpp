// Answers `--expect` in JSON, or runs the program.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/adversarial/setup/trial.h"

namespace {

using adversarial::Texts;

void print(const char* text) {
  std::putchar('"');
  for (; *text != '\0'; ++text) {
    if (*text == '\n') {
      std::fputs("\\n", stdout);
    } else {
      if (*text == '"' || *text == '\\') std::putchar('\\');
      std::putchar(*text);
    }
  }
  std::putchar('"');
}

void print(int number) { std::printf("%d", number); }

void print(const adversarial::Answer& answer);

template <class T, int Most>
void print(const adversarial::List<T, Most>& list) {
  std::putchar('[');
  for (int i = 0; i < list.count; ++i) {
    if (i > 0) std::putchar(',');
    print(list.entries[static_cast<unsigned>(i)]);
  }
  std::putchar(']');
}

template <class T>
void print(const char* name, const T& value) {
  std::printf(",\"%s\":", name);
  print(value);
}

void print(const adversarial::Answer& answer) {
  std::fputs("{\"outcome\":", stdout);
  print(answer.outcome);
  print("cause", answer.cause);
  print("culprits", answer.culprits);
  std::putchar('}');
}

void print_trial() {
  std::printf("{\"healthy\":%s", trial.expect.healthy ? "true" : "false");
  print("answers", trial.expect.answers);
  print("may_assume", trial.expect.may_assume);
  print("ranks", trial.ranks);
  print("environment", trial.environment);
  print("options", trial.options);
  print("launcher", trial.launcher);
  std::printf(",\"by_mpiexec\":%s", trial.by_mpiexec ? "true" : "false");
  std::printf(",\"outsider\":%s", trial.outsider ? "true" : "false");
  std::printf(",\"beside_load\":%s", trial.beside_load ? "true" : "false");
  print("says", trial.says);
  print("says_not", trial.says_not);
  print("leaves", trial.leaves);
  std::puts("}");
}

// NCCL refuses two ranks on one GPU unless they say that they are on different hosts. Ranks that
// `gridlock watch` does not start itself must do that on their own.
void share_gpus() {
  if (std::getenv("ADVERSARIAL_SHARES_GPUS") == nullptr) return;
  for (const char* name : {"RANK", "PMI_RANK"}) {
    const char* rank = std::getenv(name);
    if (rank == nullptr) continue;
    setenv("NCCL_HOSTID", (std::string("adversarial-") + rank).c_str(), 0);
    return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--expect") == 0) {
    print_trial();
    return 0;
  }
  share_gpus();
  return program(argc, argv);
}
