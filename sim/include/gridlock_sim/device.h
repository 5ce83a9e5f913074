// What device code needs, for clang (-x cuda -nocudainc -nocudalib): built-in variables and
// intrinsics. If PTX has an instruction for it, the code names that instruction as text, so that it
// shows what runs. Mathematical functions that need NVIDIA's libdevice are not here.
#pragma once

#ifdef __CUDA__
#include <host_defines.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <vector_types.h>

#include <cmath>
#include <new>
#include <type_traits>

#define GRIDLOCK_SIM_DEVICE static __device__ __forceinline__
#define GRIDLOCK_SIM_BOTH static __host__ __device__ __forceinline__

// Built-in variables. Reading the property becomes the instruction itself.
#define GRIDLOCK_SIM_COMPONENT(field, name)                   \
  __declspec(property(get = get_##field)) unsigned int field; \
  static __device__ __forceinline__ unsigned int get_##field() { return name##_##field(); }
#define GRIDLOCK_SIM_BUILT_IN(variable, name)                               \
  struct gridlock_sim_##variable {                                          \
    GRIDLOCK_SIM_COMPONENT(x, name)                                         \
    GRIDLOCK_SIM_COMPONENT(y, name)                                         \
    GRIDLOCK_SIM_COMPONENT(z, name)                                         \
    __device__ __forceinline__ operator dim3() const { return {x, y, z}; }  \
    __device__ __forceinline__ operator uint3() const { return {x, y, z}; } \
  };                                                                        \
  extern const __device__ __attribute__((weak)) gridlock_sim_##variable variable;
GRIDLOCK_SIM_BUILT_IN(threadIdx, __nvvm_read_ptx_sreg_tid)
GRIDLOCK_SIM_BUILT_IN(blockIdx, __nvvm_read_ptx_sreg_ctaid)
GRIDLOCK_SIM_BUILT_IN(blockDim, __nvvm_read_ptx_sreg_ntid)
GRIDLOCK_SIM_BUILT_IN(gridDim, __nvvm_read_ptx_sreg_nctaid)
#undef GRIDLOCK_SIM_BUILT_IN
#undef GRIDLOCK_SIM_COMPONENT
static const __device__ int warpSize = 32;

// CUDA's min and max take any two arithmetic types.
template <class A, class B,
          class = std::enable_if_t<std::is_arithmetic<A>::value && std::is_arithmetic<B>::value>>
__host__ __device__ constexpr std::common_type_t<A, B> min(A a, B b) {
  using C = std::common_type_t<A, B>;
  return C(a) < C(b) ? C(a) : C(b);
}
template <class A, class B,
          class = std::enable_if_t<std::is_arithmetic<A>::value && std::is_arithmetic<B>::value>>
__host__ __device__ constexpr std::common_type_t<A, B> max(A a, B b) {
  using C = std::common_type_t<A, B>;
  return C(a) > C(b) ? C(a) : C(b);
}

// The host pass needs only the names, because host code never calls these.
#ifdef __CUDA_ARCH__
#define GRIDLOCK_SIM_TEXT(...) __VA_ARGS__
#else
#define GRIDLOCK_SIM_TEXT(...)
#endif

// One instruction: its result, its operands, its text. `order` is volatile if the compiler must not
// move it.
#define GRIDLOCK_SIM_1(function, result, out, order, text, type1, in1) \
  GRIDLOCK_SIM_DEVICE result function(type1 a) {                       \
    result r{};                                                        \
    GRIDLOCK_SIM_TEXT(asm order(text " %0, %1;" : out(r) : in1(a)));   \
    return r;                                                          \
  }
#define GRIDLOCK_SIM_2(function, result, out, order, text, type1, in1, type2, in2) \
  GRIDLOCK_SIM_DEVICE result function(type1 a, type2 b) {                          \
    result r{};                                                                    \
    GRIDLOCK_SIM_TEXT(asm order(text " %0, %1, %2;" : out(r) : in1(a), in2(b)));   \
    return r;                                                                      \
  }
#define GRIDLOCK_SIM_3(function, type, text)                                            \
  GRIDLOCK_SIM_DEVICE type function(type a, type b, type c) {                           \
    type r{};                                                                           \
    GRIDLOCK_SIM_TEXT(asm(text " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c))); \
    return r;                                                                           \
  }
GRIDLOCK_SIM_2(__umulhi, unsigned, "=r", , "mul.hi.u32", unsigned, "r", unsigned, "r")
GRIDLOCK_SIM_2(__mulhi, int, "=r", , "mul.hi.s32", int, "r", int, "r")
GRIDLOCK_SIM_2(__umul64hi, unsigned long long, "=l", , "mul.hi.u64", unsigned long long, "l",
               unsigned long long, "l")
GRIDLOCK_SIM_3(__byte_perm, unsigned, "prmt.b32")
GRIDLOCK_SIM_3(__funnelshift_r, unsigned, "shf.r.wrap.b32")
GRIDLOCK_SIM_3(__funnelshift_l, unsigned, "shf.l.wrap.b32")
GRIDLOCK_SIM_1(__float2int_rd, int, "=r", , "cvt.rmi.s32.f32", float, "f")
GRIDLOCK_SIM_1(__float2int_rn, int, "=r", , "cvt.rni.s32.f32", float, "f")
GRIDLOCK_SIM_1(__float2uint_rn, unsigned, "=r", , "cvt.rni.u32.f32", float, "f")
GRIDLOCK_SIM_1(__cvta_generic_to_shared, size_t, "=l", , "cvta.to.shared.u64", const void*, "l")
GRIDLOCK_SIM_1(__cvta_generic_to_global, size_t, "=l", , "cvta.to.global.u64", const void*, "l")
#undef GRIDLOCK_SIM_3

GRIDLOCK_SIM_DEVICE float __uint_as_float(unsigned bits) { return __builtin_bit_cast(float, bits); }
GRIDLOCK_SIM_DEVICE float __int_as_float(int bits) { return __builtin_bit_cast(float, bits); }
GRIDLOCK_SIM_DEVICE unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
GRIDLOCK_SIM_DEVICE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
GRIDLOCK_SIM_DEVICE float __fdividef(float a, float b) { return a / b; }
GRIDLOCK_SIM_DEVICE float __fadd_rn(float a, float b) {
  float r{};
  GRIDLOCK_SIM_TEXT(asm("add.rn.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b)));
  return r;
}
GRIDLOCK_SIM_DEVICE float __fmul_rn(float a, float b) {
  float r{};
  GRIDLOCK_SIM_TEXT(asm("mul.rn.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b)));
  return r;
}
GRIDLOCK_SIM_DEVICE bool isnan(float x) { return __builtin_isnan(x); }
GRIDLOCK_SIM_DEVICE bool isnan(double x) { return __builtin_isnan(x); }
GRIDLOCK_SIM_DEVICE bool isinf(float x) { return __builtin_isinf(x); }
GRIDLOCK_SIM_DEVICE bool isinf(double x) { return __builtin_isinf(x); }
GRIDLOCK_SIM_DEVICE bool isfinite(float x) { return __builtin_isfinite(x); }
GRIDLOCK_SIM_DEVICE bool isfinite(double x) { return __builtin_isfinite(x); }

// Bits.
GRIDLOCK_SIM_DEVICE int __popc(unsigned x) { return __builtin_popcount(x); }
GRIDLOCK_SIM_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
GRIDLOCK_SIM_DEVICE int __clz(int x) { return x != 0 ? __builtin_clz(unsigned(x)) : 32; }
GRIDLOCK_SIM_DEVICE int __clzll(long long x) {
  return x != 0 ? __builtin_clzll((unsigned long long)x) : 64;
}
GRIDLOCK_SIM_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
GRIDLOCK_SIM_DEVICE int __ffsll(long long x) { return __builtin_ffsll(x); }
GRIDLOCK_SIM_DEVICE unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
GRIDLOCK_SIM_DEVICE unsigned long long __brevll(unsigned long long x) {
  return __builtin_bitreverse64(x);
}
// The n-th set bit from `base`, upwards if `n` is positive; 0xffffffff if there is none.
GRIDLOCK_SIM_DEVICE unsigned __fns(unsigned mask, unsigned base, int n) {
  if (n == 0) return (mask >> base & 1) != 0 ? base : 0xffffffffu;
  const int step = n > 0 ? 1 : -1;
  int left = n > 0 ? n : -n;
  for (int bit = int(base); bit >= 0 && bit < 32; bit += step) {
    if ((mask >> bit & 1) != 0 && --left == 0) return unsigned(bit);
  }
  return 0xffffffffu;
}

// Fences and barriers.
GRIDLOCK_SIM_DEVICE void __threadfence() {
  GRIDLOCK_SIM_TEXT(asm volatile("membar.gl;" ::: "memory"));
}
GRIDLOCK_SIM_DEVICE void __threadfence_block() {
  GRIDLOCK_SIM_TEXT(asm volatile("membar.cta;" ::: "memory"));
}
GRIDLOCK_SIM_DEVICE void __threadfence_system() {
  GRIDLOCK_SIM_TEXT(asm volatile("membar.sys;" ::: "memory"));
}
GRIDLOCK_SIM_DEVICE void __syncwarp(unsigned mask = 0xffffffffu) {
  GRIDLOCK_SIM_TEXT(asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory"));
}
GRIDLOCK_SIM_DEVICE void __barrier_sync(unsigned id) {
  GRIDLOCK_SIM_TEXT(asm volatile("barrier.sync %0;" ::"r"(id) : "memory"));
}
GRIDLOCK_SIM_DEVICE void __barrier_sync_count(unsigned id, unsigned count) {
  GRIDLOCK_SIM_TEXT(asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(count) : "memory"));
}
#define GRIDLOCK_SIM_BLOCK_VOTE(function, operation)                                             \
  GRIDLOCK_SIM_DEVICE int function(int predicate) {                                              \
    int r{};                                                                                     \
    GRIDLOCK_SIM_TEXT(asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red." operation \
                                   ".pred q, 0, p; selp.s32 %0, 1, 0, q; }"                      \
                                   : "=r"(r)                                                     \
                                   : "r"(predicate)                                              \
                                   : "memory"));                                                 \
    return r;                                                                                    \
  }
GRIDLOCK_SIM_BLOCK_VOTE(__syncthreads_or, "or")
GRIDLOCK_SIM_BLOCK_VOTE(__syncthreads_and, "and")
#undef GRIDLOCK_SIM_BLOCK_VOTE
GRIDLOCK_SIM_DEVICE int __syncthreads_count(int predicate) {
  int r{};
  GRIDLOCK_SIM_TEXT(
      asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }"
                   : "=r"(r)
                   : "r"(predicate)
                   : "memory"));
  return r;
}

// Warps: votes and shuffles.
GRIDLOCK_SIM_DEVICE unsigned __activemask() {
  unsigned r{};
  GRIDLOCK_SIM_TEXT(asm volatile("activemask.b32 %0;" : "=r"(r)));
  return r;
}
GRIDLOCK_SIM_DEVICE unsigned __ballot_sync(unsigned mask, int predicate) {
  unsigned r{};
  GRIDLOCK_SIM_TEXT(
      asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }"
                   : "=r"(r)
                   : "r"(predicate), "r"(mask)
                   : "memory"));
  return r;
}
#define GRIDLOCK_SIM_VOTE(function, operation)                                                     \
  GRIDLOCK_SIM_DEVICE int function(unsigned mask, int predicate) {                                 \
    int r{};                                                                                       \
    GRIDLOCK_SIM_TEXT(asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; vote.sync." operation \
                                   ".pred q, p, %2; selp.s32 %0, 1, 0, q; }"                       \
                                   : "=r"(r)                                                       \
                                   : "r"(predicate), "r"(mask)                                     \
                                   : "memory"));                                                   \
    return r;                                                                                      \
  }
GRIDLOCK_SIM_VOTE(__any_sync, "any")
GRIDLOCK_SIM_VOTE(__all_sync, "all")
#undef GRIDLOCK_SIM_VOTE
GRIDLOCK_SIM_DEVICE unsigned __match_any_sync(unsigned mask, unsigned value) {
  unsigned r{};
  GRIDLOCK_SIM_TEXT(asm volatile("match.any.sync.b32 %0, %1, %2;"
                                 : "=r"(r)
                                 : "r"(value), "r"(mask)
                                 : "memory"));
  return r;
}
// Values of 4 or 8 bytes, word by word. The third operand packs the segment and the clamp.
#define GRIDLOCK_SIM_SHUFFLE(function, mode, clamp)                                        \
  template <class T>                                                                       \
  GRIDLOCK_SIM_DEVICE T function(unsigned mask, T value, unsigned lane, int width = 32) {  \
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "only 4 and 8 bytes can be shuffled"); \
    std::remove_cv_t<T> result;                                                            \
    unsigned words[sizeof(T) / 4];                                                         \
    __builtin_memcpy(words, (const void*)&value, sizeof words);                            \
    for (unsigned& word : words) {                                                         \
      GRIDLOCK_SIM_TEXT(                                                                   \
          asm volatile("shfl.sync." mode ".b32 %0, %1, %2, %3, %4;"                        \
                       : "=r"(word)                                                        \
                       : "r"(word), "r"(lane), "r"(((32 - width) << 8) | clamp), "r"(mask) \
                       : "memory"));                                                       \
    }                                                                                      \
    __builtin_memcpy(&result, words, sizeof words);                                        \
    return result;                                                                         \
  }
GRIDLOCK_SIM_SHUFFLE(__shfl_sync, "idx", 0x1f)
GRIDLOCK_SIM_SHUFFLE(__shfl_up_sync, "up", 0)
GRIDLOCK_SIM_SHUFFLE(__shfl_down_sync, "down", 0x1f)
GRIDLOCK_SIM_SHUFFLE(__shfl_xor_sync, "bfly", 0x1f)
#undef GRIDLOCK_SIM_SHUFFLE

// Atomics: relaxed, as CUDA's are.
#define GRIDLOCK_SIM_ATOMIC(function, type, text, letter)        \
  GRIDLOCK_SIM_DEVICE type function(type* address, type value) { \
    type r{};                                                    \
    GRIDLOCK_SIM_TEXT(asm volatile("atom." text " %0, [%1], %2;" \
                                   : "=" letter(r)               \
                                   : "l"(address), letter(value) \
                                   : "memory"));                 \
    return r;                                                    \
  }
GRIDLOCK_SIM_ATOMIC(atomicAdd, int, "add.s32", "r")
GRIDLOCK_SIM_ATOMIC(atomicAdd, unsigned, "add.u32", "r")
GRIDLOCK_SIM_ATOMIC(atomicAdd, unsigned long long, "add.u64", "l")
GRIDLOCK_SIM_ATOMIC(atomicAdd, float, "add.f32", "f")
GRIDLOCK_SIM_ATOMIC(atomicAdd, double, "add.f64", "d")
GRIDLOCK_SIM_ATOMIC(atomicMax, int, "max.s32", "r")
GRIDLOCK_SIM_ATOMIC(atomicMax, unsigned, "max.u32", "r")
GRIDLOCK_SIM_ATOMIC(atomicMax, long long, "max.s64", "l")
GRIDLOCK_SIM_ATOMIC(atomicMax, unsigned long long, "max.u64", "l")
GRIDLOCK_SIM_ATOMIC(atomicMin, int, "min.s32", "r")
GRIDLOCK_SIM_ATOMIC(atomicMin, unsigned, "min.u32", "r")
GRIDLOCK_SIM_ATOMIC(atomicExch, int, "exch.b32", "r")
GRIDLOCK_SIM_ATOMIC(atomicExch, unsigned, "exch.b32", "r")
GRIDLOCK_SIM_ATOMIC(atomicExch, unsigned long long, "exch.b64", "l")
#undef GRIDLOCK_SIM_ATOMIC
#define GRIDLOCK_SIM_CAS(type, text, letter)                                      \
  GRIDLOCK_SIM_DEVICE type atomicCAS(type* address, type compare, type value) {   \
    type r{};                                                                     \
    GRIDLOCK_SIM_TEXT(asm volatile("atom.cas." text " %0, [%1], %2, %3;"          \
                                   : "=" letter(r)                                \
                                   : "l"(address), letter(compare), letter(value) \
                                   : "memory"));                                  \
    return r;                                                                     \
  }
GRIDLOCK_SIM_CAS(int, "b32", "r")
GRIDLOCK_SIM_CAS(unsigned, "b32", "r")
GRIDLOCK_SIM_CAS(unsigned long long, "b64", "l")
#undef GRIDLOCK_SIM_CAS

// Memory.
template <class T>
GRIDLOCK_SIM_DEVICE T __ldg(const T* address) {
  return *address;
}
template <class T>
GRIDLOCK_SIM_DEVICE void __stwt(T* address, T value) {
  *address = value;
  GRIDLOCK_SIM_TEXT(asm volatile("" ::: "memory"));
}

// Time and ends.
GRIDLOCK_SIM_DEVICE long long clock64() {
  long long r{};
  GRIDLOCK_SIM_TEXT(asm volatile("mov.u64 %0, %%clock64;" : "=l"(r)));
  return r;
}
GRIDLOCK_SIM_DEVICE void __nanosleep(unsigned nanoseconds) {
  GRIDLOCK_SIM_TEXT(asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds)));
}
GRIDLOCK_SIM_DEVICE void __trap() { GRIDLOCK_SIM_TEXT(asm volatile("trap;")); }
GRIDLOCK_SIM_DEVICE void cudaGridDependencySynchronize() {
  GRIDLOCK_SIM_TEXT(asm volatile("griddepcontrol.wait;" ::: "memory"));
}
GRIDLOCK_SIM_DEVICE void cudaTriggerProgrammaticLaunchCompletion() {
  GRIDLOCK_SIM_TEXT(asm volatile("griddepcontrol.launch_dependents;"));
}

#ifdef __CUDA_ARCH__
// The host's names, for device code. printf prints nothing, because a kernel has no console.
GRIDLOCK_SIM_DEVICE int printf(const char*, ...) { return 0; }
GRIDLOCK_SIM_DEVICE void __assert_fail(const char*, const char*, unsigned, const char*) noexcept {
  __trap();
}
GRIDLOCK_SIM_DEVICE void* memcpy(void* to, const void* from, size_t bytes) {
  return __builtin_memcpy(to, from, bytes);
}
GRIDLOCK_SIM_DEVICE void* memset(void* to, int value, size_t bytes) {
  return __builtin_memset(to, value, bytes);
}
GRIDLOCK_SIM_2(fminf, float, "=f", , "min.f32", float, "f", float, "f")
GRIDLOCK_SIM_2(fmaxf, float, "=f", , "max.f32", float, "f", float, "f")
GRIDLOCK_SIM_2(fmin, double, "=d", , "min.f64", double, "d", double, "d")
GRIDLOCK_SIM_2(fmax, double, "=d", , "max.f64", double, "d", double, "d")
GRIDLOCK_SIM_1(fabsf, float, "=f", , "abs.f32", float, "f")
GRIDLOCK_SIM_1(sqrtf, float, "=f", , "sqrt.rn.f32", float, "f")
GRIDLOCK_SIM_1(sqrt, double, "=d", , "sqrt.rn.f64", double, "d")
GRIDLOCK_SIM_1(rsqrtf, float, "=f", , "rsqrt.approx.f32", float, "f")
#else
__device__ float fminf(float, float);
__device__ float fmaxf(float, float);
__device__ double fmin(double, double);
__device__ double fmax(double, double);
__device__ float fabsf(float);
__device__ float sqrtf(float);
__device__ double sqrt(double);
__device__ float rsqrtf(float);
#endif
#undef GRIDLOCK_SIM_1
#undef GRIDLOCK_SIM_2

#endif
