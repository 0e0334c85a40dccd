"""The place where checkpoints are judged without their names."""
