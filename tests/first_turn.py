"""Have ready what a first turn is the first to use: run by the process that the runs are forked from."""

from __future__ import annotations

from google.genai import types

from jarvis.search.hosts import suffix_list

# Their validators are built when they are first used, which takes longer than the rest of a turn.
_SENT = (types.Content, types.GenerateContentConfig, types._GenerateContentParameters, types.HttpOptions)
_RECEIVED = (types.GenerateContentResponse, types.HttpResponse, types.HttpRetryOptions)
_WITHIN = (
    *(types.Candidate, types.GenerateContentResponseUsageMetadata, types.GenerationConfig),
    *(types.Part, types.Tool, types.ToolCodeExecution),
)

for _each in (*_SENT, *_RECEIVED, *_WITHIN):
    _each.model_rebuild()
suffix_list()
suffix_list()
