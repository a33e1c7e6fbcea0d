"""Chinese pages beside their English ones: what must be equal, which sections were read on both sides, and which words
are right."""
