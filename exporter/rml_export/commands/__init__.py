"""The subcommands of `python -m rml_export`: one module each, on what they share (export_command.py)."""
