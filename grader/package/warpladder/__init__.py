"""warpladder: a course in CUDA, and lockstep, which runs CUDA programs on the CPU.

built/            the judge, lockstep's libraries, the runners: programs for the machine that the wheel is for
course.tar.xz     the course for learners, as ./lab strip makes it
"""
