// Floating-point arithmetic whose opcodes integers share.
#pragma once

#include "sim/ptx/operations/decoder.h"

namespace sim::ptx {

enum class FloatOp : std::uint8_t { kAdd, kSub, kMul, kDiv, kMin, kMax, kNeg, kAbs };

// Modifiers after the type: .rn .rz .rm .rp, .ftz, .sat, .approx, .full, .NaN.
void decode_float_binary(Decoder& decoder, Type type, FloatOp op);
void decode_float_sign(Decoder& decoder, Type type, FloatOp op);
void decode_fma(Decoder& decoder, Type type);

}  // namespace sim::ptx
