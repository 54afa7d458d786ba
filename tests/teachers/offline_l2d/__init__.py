"""Tests of Offline-L2D and of the published networks of L2D."""
