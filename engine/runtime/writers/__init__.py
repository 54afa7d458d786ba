"""From a writer's name to the writer, with its key, recording, estimate and refusals."""
