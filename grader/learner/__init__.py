"""What a learner sees around the verdicts: the place on the ladder, hints, predictions, progress, the watch."""
