"""What lies over the conversation for a while: the leader's menu, and panels of text with help, notices and facts."""
