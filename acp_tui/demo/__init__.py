"""The demo agent: a real ACP agent over stdio that needs no model and no network. It is a program of its own and uses
the standard library only.
"""
