"""The steps of building NCCL from its source for the simulated CUDA."""
