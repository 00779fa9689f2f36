"""The bundled sample through the real command line."""
