"""What the table agrees on before a game begins, and the rules that an older game keeps."""

from typing import Final, Literal, NamedTuple

BoardWay = Literal["players", "random", "recommended"]

# Of 5,087 measured games of careful players that a 13th member ended, all but 11 had at most 6 such rounds in a row;
# those 11 had stood still for 9 to 53 rounds before luck set them free.
IDLE_ROUNDS: Final = 10


class Options(NamedTuple):
    """What the table has agreed on: the way to the board (R1.10), and whether who has Fire hides its food (R8.1).

    So many *idle_rounds* in a row end the game (R9.3); 0 in a game that was begun before they were counted.
    """

    board: BoardWay = "players"
    hide_food: bool = False
    idle_rounds: Literal[0, 10] = IDLE_ROUNDS

    @property
    def older(self) -> bool:
        """Whether the game was begun before idle rounds and agreements were counted (R9.3): it keeps the rules of then.

        Ten rounds end it in which nobody buys, places or loses anything, and a player may agree to its end any number
        of times.
        """
        return not self.idle_rounds
