"""Reading what players write back: orders, requests and talk, as opposed to what is only quoted.

A line that says two things is made two in ``apart.py``. Then a text goes through four steps: ``quotes.py`` keeps what
its writer has written, ``candidates.py`` asks the recognisers about each line, ``decide.py`` says what counts, and
``refusals.py`` why nothing does. The words are in ``words/``, a file for each language, and those of mail programs in
``words/mail.toml``; ``tests/generate.py`` compiles them.

Why things are as they are:

- What may be an older mail is never played. Below headers or an attribution with a date or an address nothing
  counts. Below the line of a phone, or ``Ann wrote:``, an order is proposed if all above it is talk. A library that
  strips quotes decides for readers and knows no doubt, so we have our own rules (``marks.py``), with the words as
  data.
- Words of talk are no requests. "note that I am away" and "try again later" are told to the table. In doubt a line
  is a request, since its writer hears of it, and since a note that is told cannot be taken back.
- "If" and "always" begin talk too. A line that begins so is read as a plan only if it has a number, a class of
  cards, or a word of the game; everything that begins with "plan" is.
"""
