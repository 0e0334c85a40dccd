"""The generator's task: videos and images with captions, learnt as what a request asks for."""
