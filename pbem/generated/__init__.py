"""What is made from other files, so that the program starts sooner: ``python tests/generate.py`` writes it anew."""
