"""What the reasoner learns from: lessons in the studio's own words, and how wrong its answers to them are."""
