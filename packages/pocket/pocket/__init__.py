"""How the pocket checkpoint is made: the tabletop world that teaches it and the stages of its training."""
