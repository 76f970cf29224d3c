"""The command line: arguments in, text or JSON out. No rule, no format.

Why things are as they are:

- ``typer`` stays below 0.29, which starts nearly three times slower. Only the requested command is prepared.
- A turn needs no Typer. Loading it took a quarter of a turn. Its definition of the commands stays the only one: a
  table is read off it, and a command line that is beyond doubt is parsed by that. Options in full, each once, and
  no value that begins with a dash: everything else, and every mistake, is left to Typer. So nothing is said twice.
- Help on 80 columns is a generated page. It is as wide as help becomes. For a narrower terminal Typer prints it.
- Functions that are generated from the schemas say yes or no. ``jsonschema``, which took half of a turn to load, is
  asked only after a no: it knows what is wrong, and its verdict counts. They are made by our own 150 lines, since
  those of ``fastjsonschema`` have 738,000 characters for a game.
- TOML as pbem writes it is read without ``tomllib``, whose patterns take a tenth of a turn to compile. Whatever
  differs in a character is for ``tomllib``, and so are all messages.
"""
