"""The program beside the arm: cameras, arms, the 15 Hz loop, safety, recording.

It imports `studio` alone of the other rooms, and runs without torch. Who may call whom, inside:
`bridge` over `loop` and `self_test` over `playing`, `policy`, `recording`, `arms`, `cameras`, `gripper` over `safety`.
"""
