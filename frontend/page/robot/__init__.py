"""The place of the arm: what it sees and does, who is in control, what was recorded."""
