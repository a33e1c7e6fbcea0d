"""The launcher: sets a machine up, builds, and calls the judge, CTest or lockstep. Verdicts are the judge's."""
