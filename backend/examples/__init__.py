"""Examples in the API's documentation: what is sent, what is answered, and how it is refused."""

from backend.examples.document import has_example, operations_of, show_examples

__all__ = ["has_example", "operations_of", "show_examples"]
