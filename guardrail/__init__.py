"""The guardrail program: reads prompts with NVIDIA's cosmos-guardrail, in an environment of its own.

It imports nothing of the other rooms, and none of them imports it: cosmos-guardrail brings torchvision, beside which
diffusers and transformers of the engine no longer import.
"""
