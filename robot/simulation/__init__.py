"""The simulated world: a Panda with a Robotiq gripper, a table of coloured things, three cameras. The default arm."""
