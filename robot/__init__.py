"""The program beside the arm: cameras, arms, the 15 Hz loop, safety, recording.

It imports `studio` alone of the other rooms, and runs without torch. Who may call whom, inside:
`bridge` over `station` over `loop` over `playing`, `policy`, `recording`, `arms`, `cameras`, `gripper` over `safety`.
The files beside those folders are the words that all of them share: observations, chunks, commands, faults, the clock.
"""
