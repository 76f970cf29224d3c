"""The board for players: as a drawing, as a picture and as lists, which all show the same."""
