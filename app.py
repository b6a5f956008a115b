"""The web page: ``python app.py``. The same as ``accelrag serve``, which also takes flags."""

import sys

from accelrag.cli.main import main

if __name__ == "__main__":
    main(["serve", *sys.argv[1:]])
