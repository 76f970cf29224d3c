"""What players and the host read: letters as values, which a carrier turns into bytes.

Why things are as they are:

- No sentence begins like a plan, an order or a request ("If nobody ..."): a reply may repeat it without a mark. A line
  that begins so where it is wrapped is mended in ``harmless``; a whole sentence would get an "e.g.", and
  ``tests/test_languages_of_letters.py`` fails.
- Nothing for one player follows from what another has said ahead, not even who is still asked (``Table.asking``).
"""
