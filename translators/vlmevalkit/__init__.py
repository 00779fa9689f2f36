"""All that knows VLMEvalKit."""
