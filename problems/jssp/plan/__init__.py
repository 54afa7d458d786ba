"""The job shop whose programs choose a job from arrays that suffice to complete the schedule."""
