"""The error for a command that cannot be carried out as it was given."""


class UsageError(Exception):
    """Says what was expected and what came."""
