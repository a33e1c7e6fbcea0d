"""The kernels of the capstone labs beside NVIDIA's library and the limits of the card, in one table."""
