"""Whatever answers: a model behind an API, a model in this process, a recording."""
