"""The web page. Gradio is loaded when the page is built, not before."""

from accelrag.ui.app import build_app, serve

__all__ = ["build_app", "serve"]
