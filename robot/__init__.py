"""The program beside the arm: cameras, arms, the 15 Hz loop, safety, recording. Nothing of it is written yet.

The room exists so that its two rules hold from the first line: it imports `studio` alone, and it runs without torch.
"""
