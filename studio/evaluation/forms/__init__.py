"""The forms of questions: how an item is asked, how its answer is read, and what it is worth."""
