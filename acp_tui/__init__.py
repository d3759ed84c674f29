"""The terminal client for the Agent Client Protocol: the command line above its floors. Imports point downward only."""

__version__ = "0.1.0"
