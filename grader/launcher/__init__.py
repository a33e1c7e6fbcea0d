"""The launcher: it sets a machine up, builds, and calls the judge, CTest or lockstep. Only the judge gives verdicts."""
