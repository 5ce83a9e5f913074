// Every entry point exists twice, as in NVIDIA's library: strong pncclX and weak ncclX.
#pragma once

#include <nccl.h>

// A macro, because a function cannot name a symbol.
#define SIM_NCCL_EXPORT(name) \
  extern "C" __attribute__((weak, alias("p" #name))) decltype(p##name) name
