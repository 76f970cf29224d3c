"""What is only loaded when somebody asks how a command is used."""
