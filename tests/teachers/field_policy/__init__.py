"""Tests of the policy for any problem."""
