"""The errors that a user can meet and mend, each with the exit code that it ends in.

    PackError            exit 1: a check failed
    └── InputError       exit 2: a file, a row or an argument cannot be used as it is
        ├── PipelineError    a score pipeline or its parameters (judges.pipeline)
        ├── MetadataError    a metadata file, all its problems at once (translators.metadata)
        └── PromptError      a template that fails on a row (translators.prompt)

A message says where, what is wrong and what would be right; the command line prints it and nothing else.
"""


class PackError(Exception):
    """Base of every error that the project raises on purpose."""

    exit_code = 1


class InputError(PackError):
    """Input that cannot be used: the message names the file or row, the fault and the remedy."""

    exit_code = 2
