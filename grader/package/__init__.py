"""./lab wheel makes the Python package `warpladder`: the course for learners, and lockstep, already built."""
