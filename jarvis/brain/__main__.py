"""The process of a brain: `python -P -m jarvis.brain`. What makes text of pages does not import it again."""

from .server import serve

serve()
