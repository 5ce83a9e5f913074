// How many warp-instructions per second one core interprets in loops like those of NCCL's
// protocols: a spin on two words, a copy, and a reduction.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "sim/ptx/machine.h"

namespace {

using sim::ptx::Execution;

// A kernel k(data, rounds) of one block. In each lane, %rd3 points to 16 bytes of its own in data.
std::string kernel(const std::string& loop) {
  return R"(.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 data, .param .u64 rounds) {
  .shared .align 4 .b32 count; .reg .pred %p<4>; .reg .b32 %r<20>; .reg .f32 %f<20>; .reg .b64 %rd<20>;
  ld.param.u64 %rd1, [data]; ld.param.u64 %rd2, [rounds];
  mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 16; add.u64 %rd3, %rd3, %rd1; mov.u64 %rd4, 0;
loop:
)" + loop +
         R"(
  add.u64 %rd4, %rd4, 1; setp.lt.u64 %p1, %rd4, %rd2; @%p1 bra loop;
  ret;
})";
}

void interpret(benchmark::State& state, const char* loop) {
  const std::string text = kernel(loop);
  const sim::ptx::ModuleText module{"benchmark", text};
  const sim::ptx::Program program({&module, 1});
  std::vector<float> data(1 << 16, 0.5F);
  sim::ptx::Memory memory;
  memory.add(data.data(), data.size() * sizeof(float));
  const std::uint64_t parameters[2] = {reinterpret_cast<std::uint64_t>(data.data()), 2000};
  sim::ptx::Launch launch;
  launch.kernel = program.kernel("k");
  launch.block[0] = 256;
  launch.parameters = std::as_bytes(std::span(parameters));
  std::uint64_t instructions = 0;
  for (auto _ : state) {
    instructions += Execution(program, memory, launch).run({}).warp_instructions;
  }
  state.counters["warp_instructions"] =
      benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
}

void spin(benchmark::State& state) {
  interpret(state, R"(
  ld.volatile.global.u64 %rd5, [%rd1]; xor.b64 %rd6, %rd5, %rd4; and.b64 %rd6, %rd6, 15;
  setp.eq.u64 %p2, %rd6, 99; @%p2 bra done;
  add.s32 %r2, %r2, 1; st.shared.u32 [count], %r2;
done:)");
}
void copy(benchmark::State& state) {
  interpret(state, R"(
  and.b64 %rd5, %rd4, 7; shl.b64 %rd5, %rd5, 12; add.u64 %rd6, %rd3, %rd5;
  ld.volatile.global.v2.u64 {%rd7, %rd8}, [%rd6]; st.global.v2.u64 [%rd6], {%rd7, %rd8};)");
}
void reduce(benchmark::State& state) {
  interpret(state, R"(
  and.b64 %rd5, %rd4, 7; shl.b64 %rd5, %rd5, 12; add.u64 %rd6, %rd3, %rd5;
  ld.volatile.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd6];
  add.f32 %f5, %f1, %f1; add.f32 %f6, %f2, %f2; fma.rn.f32 %f7, %f3, %f3, %f3; max.f32 %f8, %f4, %f4;
  mul.f32 %f5, %f5, 0f3F000000; mul.f32 %f6, %f6, 0f3F000000; mul.f32 %f7, %f7, 0f3F000000;
  st.global.v4.f32 [%rd6], {%f5, %f6, %f7, %f8};)");
}
BENCHMARK(spin)->Unit(benchmark::kMillisecond);
BENCHMARK(copy)->Unit(benchmark::kMillisecond);
BENCHMARK(reduce)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
