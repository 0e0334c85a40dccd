"""What stands around every place: header, rail, theme and notifications."""
