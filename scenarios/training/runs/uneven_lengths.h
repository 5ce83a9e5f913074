// A run over sequences of uneven lengths. The encoder grows its positional buffer to fit them: each
// rank to its own length, or all ranks to the longest.
#pragma once

#include <functional>

#include "scenarios/training/runs/verify.h"

namespace gridlock::uneven {

constexpr int kSteps = 6;
constexpr int kLongStep = 2;       // sequences are half as long before it
constexpr int kConfigured = 1800;  // the buffer's first length (pos_emb_max_len)
constexpr int kManyRanks = 64;

int length(int rank, int step);
// Whether a rank's full length exceeds the buffer's first length.
bool exceeds(int rank);

TrainerOptions options(bool positions_are_buffers = false);
Batch batch(const Rank& rank, int step);

// The longest length of any rank. Makes one all-reduce, labelled "encoder/max_length", and the host
// reads it.
//   Collective, Blocks  until all ranks have called it
int longest_of_all(ProcessGroup& group, int mine);

// One step. `grow` grows the buffer at the start of the encoder, after DDP's broadcast of buffers.
//   Collective, Blocks
void step_with(Trainer& trainer, const Batch& sequences,
               const std::function<void(Positions& positions, int mine)>& grow);

// One step in which all ranks ask for the longest length.
//   Collective, Blocks
void step_asking_all(Trainer& trainer, const Batch& sequences);

// Runs such steps on all ranks, reports how long the host waited, and checks the numbers.
//   Collective, Blocks
void run_asking_all(Rank& rank);

// Compares with the reference after `steps`, reports the buffer's bytes by rank, and closes.
//   Collective, Blocks
void finish(Trainer& trainer, int steps = kSteps);

}  // namespace gridlock::uneven
