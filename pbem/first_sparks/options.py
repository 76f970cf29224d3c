"""What the table agrees on before a game begins, and the rules that older games keep."""

from typing import Final, Literal, NamedTuple

BoardWay = Literal["players", "random", "recommended"]

# Of 5,087 measured games of careful players that ended with a 13th member, all but 11 had at most 6 such rounds in a
# row; those 11 had been stuck for 9 to 53 rounds before luck set them free.
IDLE_ROUNDS: Final = 10


class Options(NamedTuple):
    """What the table has agreed on: who lays the board (R1.10), and whether clans with Fire hide their food (R8.1).

    *idle_rounds* in a row end the game (R9.3); it is 0 in a game that began before they were counted.
    """

    board: BoardWay = "players"
    hide_food: bool = False
    idle_rounds: Literal[0, 10] = IDLE_ROUNDS

    @property
    def older(self) -> bool:
        """Whether the game began before idle rounds and agreements were counted (R9.3), and keeps its old rules.

        It ends after ten rounds in which nobody buys, places or loses anything, and a player may agree to end it any
        number of times.
        """
        return not self.idle_rounds
