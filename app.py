"""The web page: ``python app.py``. The same as ``accelrag serve``; what a Hugging Face Space runs."""

import os
import sys

from accelrag.cli.main import main

if __name__ == "__main__":
    if "SPACE_ID" in os.environ:  # https://huggingface.co/docs/hub/spaces-overview#helper-environment-variables
        os.environ.setdefault("ACCELRAG_HOST", "0.0.0.0")  # noqa: S104 - a Space is reached from outside its container
        os.environ.setdefault("ACCELRAG_PORT", "7860")
        os.environ.setdefault("ACCELRAG_PUBLIC_URL", f"https://{os.environ['SPACE_HOST']}")
    main(["serve", *sys.argv[1:]])
