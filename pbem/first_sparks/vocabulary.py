"""The words that people write around an order and instead of its own, in English, and what makes a line talk.

All of it is for a line in lower case, without apostrophes, its words one blank apart, and ``,`` for punctuation.
"""

import re
from typing import Final

from pbem.first_sparks.notation import ANY_TIME, FORMS, LONGEST_ORDER, ORDER_WORDS

# What stands around an answer.
YES: Final = re.compile(r"(?:yes|yep|yeah|yup|yea|y|ja|of course)(?= |$)")
NO: Final = re.compile(r"(?:no|nope|nah|n|nein)(?= |$)")
OK: Final = frozenset(("ok", "okay", "sure", "fine", "all right", "alright", "right"))
BEFORE: Final = re.compile(
    r"(?:(?:hi|hello|hey|dear)(?: all| there| everyone| everybody| team| folks| friends| guys| host| pbem)?"
    r"|ok(?:ay)?|all ?right|right|well|so|then|now|fine|sure|please|pls|plz|and|sorry|,"
    r"|(?:(?:here is|heres|here comes|this is) )?(?:my )?(?:order|answer|move|choice|turn|reply|decision)(?: is)?"
    r"|(?:ill |i will |lets )?go(?:ing)? (?:with|for)(?: the)?"
    r"|im|i am|ill|i will|i shall|we will|id (?:like|love)|i would (?:like|love)|i want to|i wanna|i wish to"
    r"|i must|i have to|going to|gonna|ive decided|i decided?|i choose to|let me|lets|just|to|i|we)(?= |$)"
)
PERHAPS: Final = re.compile(r"(?:i (?:think|guess|suppose|may|might)|maybe|perhaps|probably|will|may|might)(?= |$)")
AFTER: Final = re.compile(
    r"(?:^| )(?:please|pls|plz|thanks(?: a lot| all| again)?|thank ?you|thx|tx|ty|cheers|then|now|too|again|today"
    r"|put|for me|(?:for |in )?this (?:time|round|turn)|for now|ok(?:ay)?|all|everyone|everybody|guys|folks|haha|lol|xd"
    r"|it is|have fun|have a (?:nice|good|great|lovely) (?:day|week|weekend|evening|night|time|one)"
    r"|good luck|see you(?: soon| later)?|best wishes|(?:best|kind) regards|regards|greetings|,)$"
)
COST: Final = re.compile(r" for (\d{1,3})(?: foods?)?$")
# Conditions, what was, and what is about somebody else.
TALK: Final = re.compile(
    r"\b(?:if|would|should|could|unless|until|when|what|why|who|how|which|you|your|youre|u|he|she|they|him|her"
    r"|them|his|their|was|were|did|had|has|cant|can|cannot|never|or|but|because|wait|instead|after|before|than|next)\b"
)
NOT: Final = re.compile(r"\b(?:not|dont|do not|wont|nothing|none|without)\b")
ANYTHING: Final = re.compile(r"\b(?:want|wish|like|anything|any|more|at all|going|do)\b")

# How an answer is written.
REMARK: Final = re.compile(r"(?:^|\s)#(?!\s*\d).*")
SIGN: Final = re.compile(r"(?:\bn[or]\.|\bnumber\b|№|#)\s*(?=\d)")
PUNCTUATION: Final = re.compile(r"[^\w\s?#]+|_+")
APART: Final = re.compile(r"\b([a-z]) ?([12]) ?([abc])\b")
GLUED: Final = re.compile(r"\b([a-z]{3,})#?(\d{1,3})\b")
SPACE: Final = re.compile(r"[a-z][12][abc]")
CELL: Final = re.compile(r"[a-z][1-9][0-9]?")
LONGEST: Final = LONGEST_ORDER + 60
MOST_BEFORE: Final = 4  # words before that of an order which need not be understood, to ask if it is meant
MOST_AROUND: Final = 12  # words around an answer, on each side
NOISE: Final = re.compile(r"the|an?|my|our|to|on|at|in|into|onto|of|card|tool|this|that|it|one|,|&|\+|with|and")
MEMBERS: Final = re.compile(r"first|second|new|more|members?|m[ae]n|meeples?|clan|spaces?|neutral|\d")
WORDS_FROM_FOUR: Final = "four five six seven eight nine ten eleven twelve thirteen fourteen"
NUMBERS: Final = {word: number for number, word in enumerate(WORDS_FROM_FOUR.split(), 4)}
# What else is said for the word of an order, surely and perhaps; then, the word of another question.
WORDS: Final = {word.split()[0]: word.split()[0] for word in ORDER_WORDS if word not in ANY_TIME}
SURE: Final = {
    **WORDS,
    **{"offering": "offer", "passing": "pass", "buying": "buy", "purchase": "buy", "declining": "decline"},
    **{"refuse": "decline", "taking": "take", "discarding": "discard", "dropping": "drop", "staying": "stay"},
    **{"settling": "settle", "adding": "add", "spreading": "spread", "laying": "lay"},
}
LIKE: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(("propose", "bid", "choose", "pick", "nominate", "auction", "sell"), ("offer",)),
    **dict.fromkeys(("want", "get", "grab"), ("buy", "take", "offer")),
    **dict.fromkeys(("expand", "grow", "go", "move", "place", "put"), ("spread", "add", "settle", "lay")),
    **dict.fromkeys(("remove", "kill", "lose"), ("starve", "drop")),
    **dict.fromkeys(("skip", "nothing", "remain"), ("pass", "stay", "decline")),
    **{"reject": ("decline",), "buy": ("take", "offer"), "take": ("buy", "offer"), "discard": ("decline",)},
    **{"drop": ("discard", "decline"), "decline": ("pass", "stay", "discard"), "stay": ("pass", "decline")},
    **{"pass": ("decline", "stay", "discard"), "spread": ("add", "settle"), "add": ("spread", "settle")},
    **{"settle": ("spread", "add"), "starve": ("drop",)},
}
# They need nothing after them.
ALONE: Final = tuple(word for word, form in FORMS.items() if not form.fewest and word not in ANY_TIME)
NO_SLIP: Final = re.compile(r"bye|by|say|day|best|bay|boy|past|post|and|may|made|lady|ready|off|other|later")
RESIGN: Final = re.compile(r"(?:resign|resigning|quit|leave the game|resign from the game)")
AGREE: Final = re.compile(r"agree(?:d)?(?: to)?(?: the| an)? end(?:ing)?(?: the game| of the game)?")
