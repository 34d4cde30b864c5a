"""Davidsonian Scene Graph: a prompt taken apart into propositions, and each asked of the picture."""
