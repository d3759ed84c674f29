"""What lies over the conversation for a while: the leader's menu, help, notices, standard error, facts."""
