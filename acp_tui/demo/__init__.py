"""The built-in demo agent: a real ACP agent over stdio that needs no model and no network.

It is a program of its own: it uses the standard library only and.
"""
