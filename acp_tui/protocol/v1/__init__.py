"""The dialect of protocol version 1, with the older forms that agents still speak."""
