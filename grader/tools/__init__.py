"""What connects the course with people's own tools: editors, shells, notebooks, GitHub Classroom."""
