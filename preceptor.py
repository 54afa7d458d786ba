"""Preceptor, for third parties."""
