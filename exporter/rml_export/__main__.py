"""`python -m rml_export`; see command_line."""

import sys

from rml_export.command_line import main

if __name__ == "__main__":
    sys.exit(main())
