// Floating-point arithmetic under the opcodes that integers have too.
#pragma once

#include "sim/ptx/operations/decoder.h"

namespace sim::ptx {

enum class FloatOp : std::uint8_t { kAdd, kSub, kMul, kDiv, kMin, kMax, kNeg, kAbs };

// Modifiers behind the type: .rn .rz .rm .rp, .ftz, .sat, .approx, .full, .NaN.
void decode_float_binary(Decoder& decoder, Type type, FloatOp op);
void decode_float_sign(Decoder& decoder, Type type, FloatOp op);
void decode_fma(Decoder& decoder, Type type);

}  // namespace sim::ptx
