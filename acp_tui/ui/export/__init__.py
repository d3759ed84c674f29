"""Taking out what is on the screen: copying and exporting it, and opening content and addresses in other programs."""
