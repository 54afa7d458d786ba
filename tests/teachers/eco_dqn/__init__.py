"""Tests of the cut problem's learned teacher."""
