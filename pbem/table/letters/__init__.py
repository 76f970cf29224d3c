"""What players and the host read: letters as values, which a carrier turns into bytes."""
