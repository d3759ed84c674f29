"""The models of what is said, shaped like protocol 2; every field is as tolerant as the schema says."""
