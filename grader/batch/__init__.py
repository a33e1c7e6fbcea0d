"""The batch: many submissions go in, and one record for each comes out. The judge alone decides what one is worth."""
