"""autograder: the zip for Gradescope. package makes it; run runs inside it. setup.sh and run_autograder are
here as they are in the zip."""
