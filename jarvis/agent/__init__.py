"""LangGraph and the model: plan one action, carry it out, look, plan the next."""
