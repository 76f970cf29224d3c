"""A page to read, as a value: made once, shown as plain text or as HTML. It knows no game and no language."""
