"""The frame of a training, the same for every teacher."""
