"""autograder: the zip that Gradescope takes: its making (package), and what happens inside (run). setup.sh and
run_autograder stand here as they stand in the zip."""
