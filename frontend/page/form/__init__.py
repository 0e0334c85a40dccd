"""The fields of a request and what stands around them: examples, estimate, presets, upsampling."""
