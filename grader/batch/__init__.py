"""The batch: many submissions in, one record each out. What a submission is worth is the judge's to say."""
