"""Answer in words. It ends the turn."""

from .base import Action


class Reply(Action):
    name = "reply"
    description = (
        "answer the person in `text`, or ask what they meant, or say what can't be done. It ends the turn."
    )
    effect = "arranges"
    ends_turn = True


ACTION = Reply()
