"""What ``python tests/generate.py`` makes from other files, so that the program starts sooner."""
