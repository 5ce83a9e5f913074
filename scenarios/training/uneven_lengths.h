// A run over sequences of uneven lengths: the encoder grows its positional buffer to fit them, each
// rank to its own length or all ranks to the longest of any.
#pragma once

#include <functional>

#include "scenarios/training/verify.h"

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

// The longest length of any rank: one all-reduce, labelled "encoder/max_length", and a read by the
// host.
//   Collective, Blocks  until all ranks have called it
int longest_of_all(ProcessGroup& group, int mine);

// One step. `grow` sees to the buffer at the encoder's beginning, behind DDP's broadcast of
// buffers.
//   Collective, Blocks
void step_with(Trainer& trainer, const Batch& sequences,
               const std::function<void(Positions& positions, int mine)>& grow);

// One step in which all ranks ask for the longest length.
//   Collective, Blocks
void step_asking_all(Trainer& trainer, const Batch& sequences);

// A run of such steps on all ranks, which reports how long the host waited, and is verified.
//   Collective, Blocks
void run_asking_all(Rank& rank);

// Compares with the reference after so many steps, reports the buffer's bytes by rank, and closes.
//   Collective, Blocks
void finish(Trainer& trainer, int steps = kSteps);

}  // namespace gridlock::uneven
