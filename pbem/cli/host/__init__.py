"""What hosts do to the games and the folder of a club."""
