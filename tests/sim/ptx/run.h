// Runs PTX in a test: puts a module around some lines, launches it, and returns the memory that it
// wrote.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "sim/ptx/machine.h"

namespace sim::ptx {

inline std::string module_of(const std::string& text) {
  return ".version 8.5\n.target sm_90\n.address_size 64\n" + text;
}

// A kernel `k(out, in)` with registers of all kinds. Its lines may use %rd1 = out, %rd2 = in, %r1 =
// the thread's number, and %rd3 and %rd4 = the thread's 8 bytes in out and in.
inline std::string kernel_of(const std::string& lines, const std::string& before = "") {
  return module_of(before + R"(
.visible .entry k(.param .u64 k_0, .param .u64 k_1) {
  .reg .pred %p<20>; .reg .b16 %h<20>; .reg .b32 %r<40>; .reg .f32 %f<20>; .reg .b64 %rd<40>; .reg .f64 %fd<20>;
  ld.param.u64 %rd1, [k_0];
  ld.param.u64 %rd2, [k_1];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd5, %r1, 8;
  add.u64 %rd3, %rd1, %rd5;
  add.u64 %rd4, %rd2, %rd5;
)" + lines + "\n  ret;\n}\n");
}

struct Ran {
  Outcome outcome;
  std::vector<std::uint64_t> out;
};

inline Ran run_text(const std::string& text, const std::vector<std::uint64_t>& in,
                    std::size_t out_count, Launch launch, const std::stop_token& stop = {}) {
  const ModuleText module{"test", text};
  const Program program({&module, 1});
  Ran ran;
  ran.out.assign(out_count, 0);
  Memory memory;
  memory.add(ran.out.data(), ran.out.size() * 8);
  memory.add(in.data(), in.size() * 8, false);
  const void* parameters[2] = {ran.out.data(), in.data()};
  launch.kernel = program.kernel("k");
  launch.parameters = {reinterpret_cast<const std::byte*>(parameters), sizeof parameters};
  ran.outcome = Execution(program, memory, launch).run(stop);
  return ran;
}

// One block of `threads`.
inline Ran run_lines(const std::string& lines, const std::vector<std::uint64_t>& in,
                     unsigned threads = 32, const std::string& before = "") {
  Launch launch;
  launch.block[0] = threads;
  return run_text(kernel_of(lines, before), in, threads, launch);
}

}  // namespace sim::ptx
