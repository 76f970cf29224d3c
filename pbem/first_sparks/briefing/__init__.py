"""What the game tells its players; the only place with the game's sentences.

Why things are as they are:

- A text in lists is a page too. A drawing knows what to say instead, and the rest follows from the blocks. So text,
  HTML and buttons are made from it as from any other page.
- News are folded only if they are longer than a screen, and what is longest ago first. A short text stays complete.
- A trial stops where ``check`` stops: before a draw, and with hidden food before a hunt and before the end. It is
  the same page with other headings, so that it tells nothing that a real move would not tell. Its sections have a
  key of their own, so that no button or picture takes them for the game.
- The news of several orders count from their message. A club knows from its journal where a message begins. The log
  alone does not; with it, the news begin where the orders may have been sent together, and may repeat something.
- The letter names all who could be asked, not those who are. A name that is missing would tell of a plan. For the
  same reason nobody gets a letter because somebody else has said something ahead.
- No sentence begins with plan, always, if or forget, as the lines of a plan do: a reply may repeat it without a mark.
"""
