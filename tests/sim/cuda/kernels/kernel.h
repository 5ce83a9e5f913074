// Kernels in PTX, for tests that load them with the driver's calls.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sim_test {

// out[i] = in[i] + more, for `count` floats: k(out, in, more, count).
inline const std::string kAddPtx = R"(//
.version 8.0
.target sm_90
.address_size 64
.visible .global .align 4 .f32 offset = 0f00000000;
.visible .entry add_more(.param .u64 out, .param .u64 in, .param .f32 more, .param .u32 count)
{
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .f32 %f<5>; .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.f32 %f1, [more]; ld.param.u32 %r1, [count];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  mul.wide.u32 %rd3, %r5, 4; add.u64 %rd4, %rd2, %rd3; add.u64 %rd5, %rd1, %rd3;
  ld.global.f32 %f2, [%rd4]; ld.global.f32 %f3, [offset]; add.f32 %f4, %f2, %f1; add.f32 %f4, %f4, %f3;
  st.global.f32 [%rd5], %f4;
DONE:
  ret;
}
.visible .entry spin(.param .u64 word)
{
  .reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [word];
AGAIN:
  ld.volatile.global.u32 %r1, [%rd1];
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra AGAIN;
  ret;
}
)";

class Module {
 public:
  explicit Module(const std::string& ptx) {
    EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
    EXPECT_EQ(cuModuleLoadData(&module_, ptx.c_str()), CUDA_SUCCESS);
  }
  ~Module() { EXPECT_EQ(cuModuleUnload(module_), CUDA_SUCCESS); }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  CUmodule handle() const { return module_; }
  CUfunction operator[](const char* name) const {
    CUfunction function = nullptr;
    EXPECT_EQ(cuModuleGetFunction(&function, module_, name), CUDA_SUCCESS) << name;
    return function;
  }

 private:
  CUmodule module_ = nullptr;
};

}  // namespace sim_test
