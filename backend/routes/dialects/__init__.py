"""Routes in the form of other people's APIs: OpenAI's, vLLM-Omni's and SGLang's."""
