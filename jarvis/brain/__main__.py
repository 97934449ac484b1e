"""The main module of a brain: `python -P -m jarvis.brain`. Readers of pages don't import it again."""

from .server import serve

serve()
