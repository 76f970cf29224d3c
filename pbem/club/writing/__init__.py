"""What players and the host are written: letters as values, of which a carrier makes bytes."""
