"""Orienteering: a tour of limited length from a depot and back that collects prizes."""
