// What is true about a program, and what `gridlock watch` must say about it, as typed data in the
// program itself. The driver asks for it with `PROGRAM --expect`.
#pragma once

#include <array>
#include <initializer_list>

namespace adversarial {

// A short list that needs no memory of its own.
template <class T, int Most>
struct List {
  std::array<T, Most> entries{};
  int count = 0;
  constexpr List() = default;
  constexpr List(std::initializer_list<T> list) {
    for (const T& entry : list) entries[static_cast<unsigned>(count++)] = entry;
  }
};
using Ranks = List<int, 16>;
using Texts = List<const char*, 6>;

// One verdict that is right.
struct Answer {
  const char* outcome = "";  // "completes", "deadlock", "stall", "corrupts", "fails", "crashes"
  const char* cause = "";    // "": any
  Ranks culprits;
};

struct Expect {
  bool healthy = true;  // it ends by itself, so it must never be called a deadlock, strict or not
  List<Answer, 4> answers;
  const char* may_assume = "";  // the verdict may name only assumptions with this text; "": none

  constexpr Expect or_as(const char* outcome, const char* cause, Ranks culprits) const {
    Expect more = *this;
    more.answers.entries[static_cast<unsigned>(more.answers.count++)] = {outcome, cause, culprits};
    return more;
  }
  constexpr Expect assuming(const char* text) const {
    Expect more = *this;
    more.may_assume = text;
    return more;
  }
};

constexpr Expect completes() { return {true, {Answer{"completes", "", {}}}, ""}; }
// It ends by itself, but not well.
constexpr Expect ends(const char* outcome, const char* cause, Ranks culprits) {
  return {true, {Answer{outcome, cause, culprits}}, ""};
}
constexpr Expect deadlock(const char* cause, Ranks culprits) {
  return {false, {Answer{"deadlock", cause, culprits}}, ""};
}
// A rank waits for threads or helpers of its own, which wait for it, or for nobody. What the kernel
// shows of them decides which of these it is.
constexpr Expect stuck_by_itself(int rank) {
  return deadlock("self", {rank})
      .or_as("deadlock", "cycle", {rank})
      .or_as("deadlock", "host_stuck", {rank});
}

// A proof with an assumption must then stand for 5 s, as it does by default.
inline constexpr Texts kStandsForLong{"--stall-limit", "12s"};

struct Trial {
  Expect expect;
  int ranks = 2;
  Texts environment = {};  // "NAME=value"
  Texts options = {};      // of `gridlock watch`
  // A shell script that starts the ranks ($0 is the program), with --ranks-by-program; "": watch
  // starts them.
  const char* launcher = "";
  bool by_mpiexec = false;
  bool outsider = false;     // the driver starts `PROGRAM outsider` beside the watched job
  bool beside_load = false;  // the driver keeps all processors busy
  Texts says = {};           // texts that the printed verdict must contain
  Texts says_not = {};       // texts that it must not contain
  const char* leaves = "";   // a file in $ADVERSARIAL_FOLDER that is there when watch returns
};

}  // namespace adversarial

// Each program defines these two; setup/main.cpp has `main`.
extern const adversarial::Trial trial;
int program(int argc, char** argv);
