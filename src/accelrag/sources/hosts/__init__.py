"""One file a kind of place, each registering itself. A new file here is found by itself: see CONTRIBUTING.md."""
