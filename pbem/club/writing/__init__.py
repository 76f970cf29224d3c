"""What pbem writes to players and the host: letters as values, which a carrier turns into bytes."""
