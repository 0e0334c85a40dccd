"""Rectified flow over batches of sequences: noise levels, the velocity's error, and what a batch is made of."""
