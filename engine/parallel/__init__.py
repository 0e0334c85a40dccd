"""Steps and decodes shared by several processes ("ranks"), each with its own device and all of the weights.

Nothing in the towers or in sampling knows of it: a step is a pass over a pack, and `Spread` is another way to make that
pass. Every rank holds the same trajectories and moves them with the same solver; only the pass is divided:

    by sequences   guidance branches go to different ranks (CFG-parallel): nothing is exchanged within the pass
    by tokens      each rank has a part of the tokens, and around attention tokens are traded for heads
                   (DeepSpeed-Ulysses, arXiv 2309.14509): two exchanges a layer

and at its end every rank gets every output, in one exchange.

A long clip's decode is divided by frames' strips, piece by piece (`engine.vae.divided`). Before its first piece the
ranks tell one another what memory they have left: pieces are as long as the one with the least has room for.

Rank 0, the leader, plans and encodes, and tells the others step by step what to do; they never run ahead of it.
"""

from engine.parallel.follower import Follower
from engine.parallel.group import RankGroup, rank_device
from engine.parallel.leader import Leader
from engine.parallel.spread import Layout

__all__ = ["Follower", "Layout", "Leader", "RankGroup", "rank_device"]
