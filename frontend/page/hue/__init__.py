"""HUE in Evaluate: studies, their questions, rating by keys, and scores."""
