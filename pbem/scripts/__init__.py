"""Games by the thousand: the library, batches, archives, and the comparison of two engines."""
