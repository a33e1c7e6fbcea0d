"""Chinese pages beside their English ones: what must be equal, and which sections were read on both sides."""
