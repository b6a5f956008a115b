"""Text as every room reads it: words, sentences, and Markdown shown as plain text. Pure functions, no state."""
