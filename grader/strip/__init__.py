"""./lab strip makes a learners' repository: the course without its solutions, which still grades."""
