"""Pictures, clips and sound: chosen, uploaded, played and marked."""
