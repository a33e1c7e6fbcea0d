# UnitTests: takes the place of the unit tests until they are built.
message(FATAL_ERROR "The unit tests are not built. ./lab test builds them; so does\n"
                    "cmake --preset dev && cmake --build --preset dev")
