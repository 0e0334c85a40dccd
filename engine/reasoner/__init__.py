"""The reasoner as a partner in conversations, on the weights that conditioning has.

Calls point downward:

    chat           begin, advance: prompts read in pieces, answers written together
    conversation   one of them, and how far it has come
    prompt         messages to tokens, positions and what is shown (sight, pixels, footage)
    vision_encoder what is shown to features of the model's width
    picking        logits to tokens
    constraint     answers that match a JSON schema in time (closing, grammar)
    prefixes       beginnings that conversations share
    vocabulary     the tokenizer
"""

from engine.reasoner.chat import Chat
from engine.reasoner.conversation import Conversation, TokenLogprob, Usage
from engine.reasoner.sight import Footage

__all__ = ["Chat", "Conversation", "Footage", "TokenLogprob", "Usage"]
