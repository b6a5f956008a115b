"""The version, in its one place: packaging, ``--version``, the User-Agent and manifests read it here."""

__all__ = ["__version__"]

__version__ = "0.2.0"
