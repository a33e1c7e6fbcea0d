"""What connects the course with editors, shells, notebooks and GitHub Classroom."""
