"""What a piece of shell would run: parsed, then followed without running anything."""
