"""What front ends, scripts and notebooks call."""
