"""Other people's APIs: each a pair of pure functions, theirs to a request and a result to theirs."""
