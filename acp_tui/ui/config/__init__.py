"""Widgets that choose config options."""
