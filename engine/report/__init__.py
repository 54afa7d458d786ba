"""Tables, statistics, curves and plots of finished runs and studies."""
