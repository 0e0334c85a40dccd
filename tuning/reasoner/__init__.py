"""The reasoner's task: conversations about videos and images, of which the answers are learnt."""
