"""Start, watch and control runs and studies."""
