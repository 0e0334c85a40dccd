"""What every room is built of: elements, icons, the live state, calls of the API, errors."""
