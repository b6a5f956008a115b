"""``python -m accelrag``."""

from accelrag.cli import main

if __name__ == "__main__":
    main()
