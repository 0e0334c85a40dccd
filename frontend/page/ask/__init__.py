"""The place where the reasoner answers questions about pictures and clips."""
