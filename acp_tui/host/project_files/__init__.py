"""The files of the project as the user names them: the index, the search in it, and mentions in a prompt."""
