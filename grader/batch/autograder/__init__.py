"""autograder: the zip for Gradescope. package makes it; run is what happens inside it. setup.sh and run_autograder are
here as they are in the zip."""
