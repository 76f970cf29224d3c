"""What players can agree on without the host: to take moves back, and to go on without somebody."""
