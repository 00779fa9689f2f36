"""The version, alone in its file so that the build reads it without an import."""

VERSION = "0.1.0"
