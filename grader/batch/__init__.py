"""The batch: many submissions go in, and one record for each comes out. Only the judge gives points."""
