"""Jarvis with a service of models of somebody's own: `python -P own_service.py WORDS…`. It takes no key."""

import os
import sys
from http.client import HTTPConnection
from json import dumps, loads

from jarvis.config.services import MODEL_SERVICES, ModelService

OWN = ModelService("shed", "The shed", "your own machine", "shed", os.environ["SHED_URL"], "SHED_URL")
MODEL_SERVICES[OWN.name] = OWN

from jarvis.__main__ import main  # noqa: E402 (settings read the table)
from jarvis.agent import models  # noqa: E402
from jarvis.agent.retry import ModelAnswer  # noqa: E402


class Client:
    """Implements retry.Model."""

    service = OWN

    def __init__(self, name, settings):
        self.name, self._host = name, settings.model_urls[OWN.name].partition("//")[2]

    async def ask(self, system, prompt, schema, on_text):
        said = self._answer("POST", dumps({"system": system, "prompt": prompt.text, "schema": schema}))
        on_text(said["text"])
        return ModelAnswer(said["text"], said["stop"])

    async def names(self):
        return self._answer("GET", "")["models"]

    async def aclose(self):
        pass

    def _answer(self, method, body):
        connection = HTTPConnection(self._host, timeout=20)
        connection.request(method, "/", body)
        return loads(connection.getresponse().read())


models.CLIENTS["shed"] = Client

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
