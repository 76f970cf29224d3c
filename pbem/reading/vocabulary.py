"""The English words that people write around an order or instead of it, and those that make a line talk.

All of them are for a line in lower case, without apostrophes, its words one blank apart, with ``,`` for punctuation.
"""

from typing import Final

from pbem.first_sparks.notation import ANY_TIME, FORMS, LONGEST_ORDER, ORDER_WORDS

YES: Final = r"(?:yes|yep|yeah|yup|yea|y|ja|of course)(?= |$)"
NO: Final = r"(?:no|nope|nah|n|nein)(?= |$)"
GREETING: Final = r"^(?:(?:hi|hello|hey|well|oh|(?:ha|he){2,}|lol|hm+|u+[hm]+|,)(?: all| everyone)?(?= |$) ?)*"
LAUGH: Final = r"(?:(?:ha|he){2,}|lol|hm+|u+[hm]+)\b"

# Complete answers that name no order: surely no, perhaps no, surely yes, perhaps yes.
_POLITE: Final = (
    r"(?: (?:(?:for|from) me|(?:for |in )?this (?:time|round|turn|one)|today|at all|pls|plz|please|cheers|thx|tx|ty"
    r"|thanks(?: a lot| again| all)?|thank ?you(?: (?:very|so) much)?|sorry|then|now|,))*"
)
_IT: Final = r"(?:it|this|that|any|anything)"
_THIS_TIME: Final = r"this (?:time|round|turn|one)"
POLITE: Final = _POLITE
NOTHING: Final = (
    r"(?:(?:i am|im|sorry|ok|,) )*"
    rf"(?:nothing|none|no interest|no cards?|not interested(?: in {_IT})?|not (?:today|for me|{_THIS_TIME})"
    rf"|(?:i(?:ll)? )?skip(?: (?:it|this|{_THIS_TIME}))?){_POLITE}"
)
PERHAPS_NOTHING: Final = (
    r"(?:(?:i am|im|id|i|ill|sorry|ok|thats|its|it is|that is|,) )*"
    r"(?:(?<=m )(?:out|done|fine|good)|count me out|not now|no way|never|nay|naw|thumbs down|hold|negative"
    r"|(?:absolutely|certainly|definitely|surely|probably|of course|rather|better) not|not (?:really|a chance)"
    r"|no chance|(?:hell|heck|god|oh) no|dont think so|think not|not worth (?:it|that)|(?:thanks|thank you) ,? ?but no"
    r"|hard pass|none of (?:it|them|these|those)|nowhere|no (?:offers|moves?|changes?)"
    r"|(?:far |way )?too (?:expensive|dear|much|pricey|rich)|(?:cant|cannot) (?:afford|pay)(?: for)?"
    rf"(?: {_IT})?|sit (?:{_THIS_TIME} )?out|let it go|leave it|(?:let [a-z]+|[a-z]+ can) (?:have|take) it"
    rf"|(?:dont|do not) need(?: {_IT})?|no \w+ member|(?:have )?nothing to (?:offer|buy|add|spread)"
    rf"|add (?:nobody|none|no one|nothing)){_POLITE}"
)
MINE: Final = rf"(?:(?:yes|ok|please|its|thats|it is|that is|that one is|,) )*(?:mine|give {_IT} to me){_POLITE}"
OK: Final = (
    r"(?:ok(?:ay)?|sure(?: thing)?|fine|all ?right|right|absolutely|definitely|certainly|for sure|deal|agreed"
    rf"|affirmative|(?:hell|heck) (?:yes|yeah)|go for {_IT}|(?:id|i would) love (?:to|{_IT})|ya"
    rf"|(?:im|count me) in|gimme(?: .{{1,20}})?|id like {_IT}|y[aeiu]+s{{2,}}|ye|aye|thumbs up){_POLITE}"
)
# Whose card is declined is clear: there is only one.
DECLINED: Final = (
    r"(?:(?:i|ill|i will|we|sorry|ok|,) )*(?:decline|refuse|reject)"
    rf" (?:(?:the|this|that|your) (?:offer|card)|to (?:buy|take)(?: {_IT})?){_POLITE}"
)
# ``B2c can go`` and ``throw it away`` say what is lost.
GOES: Final = r"(?:let )?(.+?) (?:starves?|dies?|goes|(?:can|must|has to|should|will) (?:go|die|starve))"
AWAY: Final = (
    r"^(?:get rid of|throw(?: away)?|give up|part with|toss|dump|delete|scrap|sacrifice|bin|trash|away with) (.+?)"
    r"(?: away| out)?$"
)

# Words around an answer.
CLAUSE: Final = r" (?:,|because|since|as) "
BEFORE: Final = (
    r"(?:(?:hi|hello|hey|dear)(?: all| there| everyone| everybody| team| folks| friends| guys| host| pbem)?"
    r"|ok(?:ay)?|all ?right|right|well|so|then|now|fine|sure|please|pls|plz|and|sorry|,"
    r"|(?:(?:here is|heres|here comes|this is) )?(?:my )?(?:order|answer|move|choice|turn|reply|decision)(?: is)?"
    r"|(?:my|the)(?: neutral)? (?:clan|tribe|guys?|members?|people)|neutrals?(?= [a-z]+ )"
    r"|(?:ill |i will |lets )?go(?:ing)? (?:with|for)(?: the)?"
    r"|im|i am|ill|i will|i shall|we will|id (?:like|love)|i would (?:like|love)|i want to|i wanna|i wish to"
    r"|i must|i have to|going to|gonna|ive decided|i decided?|i choose to|let me|lets|just|to|i|we)(?= |$)"
)
PERHAPS: Final = (
    r"(?:id(?! like| love)(?: rather)?"
    r"|i (?:think|guess|suppose|may|might)|maybe|perhaps|probably|will|may|might)(?= |$)"
)
AFTER: Final = (
    r"(?:^| )(?:please|pls|plz|thanks(?: a lot| all| again)?|thank ?you|thx|tx|ty|cheers|then|now|too|again|today"
    r"|\(?no cost\)?|put|here|where (?:i am|im|we are)|(?:for|from) me"
    r"|(?:for |in )?this (?:time|round|turn)|(?:the|my) (?:round|turn)|for now|ok(?:ay)?"
    r"|, (?:all|everyone|everybody|guys|folks)|haha|lol|xd|sorry|sadly|unfortunately|alas"
    r"|it is|(?:sounds|looks|seems) (?:good|fine|great)|have fun"
    r"|have a (?:nice|good|great|lovely) (?:day|week|weekend|evening|night|time|one)"
    r"|good luck|see you(?: soon| later)?|best wishes|(?:best|kind) regards|regards|greetings|,)$"
)
PERHAPS_AFTER: Final = r" ,?(?:i (?:think|guess|suppose|believe)|maybe|perhaps|probably)$"
COST: Final = r" for (\d{1,3})(?: foods?)?$"
# Conditions, the past, and words about somebody else.
TALK: Final = (
    r"\b(?:if|would|should|could|unless|until|when|what|why|who|how|which|you|your|youre|u|he|she|they|him|her"
    r"|them|his|their|was|were|did|had|has|cant|can|cannot|never|or|but|wait|instead|after|before|than|next)\b"
)
NOT: Final = r"\b(?:not|dont|do not|wont|nothing|none|without)\b"
ANYTHING: Final = r"\b(?:want|wish|like|anything|any|more|at all|going|do)\b"

# The spelling of an answer.
REMARK: Final = r"(?:^|\s)#(?!\s*\d).*"
SIGN: Final = r"(?:\bn[or]\.|\bnr\b|\bno(?=\d)|\bnumber\b|#)\s*(?=\d)|\bnumber (?=[a-z])"
PUNCTUATION: Final = r"[^\w\s?#]+|_+"
APART: Final = r"\b([a-z])[ -]?([12])[ -]?([abc])\b"
GLUED: Final = r"\b([a-z]{3,})#?(\d{1,3})\b"
SPACE: Final = r"[a-z][12][abc]"
CELL: Final = r"[a-z][1-9][0-9]?"
LONGEST: Final = LONGEST_ORDER + 60
LONGEST_LINE: Final = 1_000  # of several sentences
MOST_SENTENCES: Final = 12
SENTENCE: Final = r"(?<=[.!?;])\s+"
MOST_BEFORE: Final = 4  # words before that of an order that need not be understood for a guess
MOST_AROUND: Final = 12  # words around an answer, on each side
NOISE: Final = r"the|an?|my|our|to|on|at|in|into|onto|of|card|tool|this|that|it|one|,|&|\+|with|and"
MEMBERS: Final = r"first|second|two|three|both|all|new|more|members?|m[ae]n|guys?|meeples?|clan|spaces?|neutral|\d"
WORDS_FROM_FOUR: Final = "four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
NUMBERS: Final = {word: number for number, word in enumerate(WORDS_FROM_FOUR.split(), 4)}
# Other words for the word of an order: sure ones, and possible ones, including words of other questions.
WORDS: Final = {word.split()[0]: word.split()[0] for word in ORDER_WORDS if word not in ANY_TIME}
SURE: Final = {
    **WORDS,
    **{"offering": "offer", "passing": "pass", "buying": "buy", "purchase": "buy", "declining": "decline"},
    **{"declined": "decline", "settles": "settle", "starving": "starve"},
    **{"refuse": "decline", "taking": "take", "discarding": "discard", "dropping": "drop", "staying": "stay"},
    **{"settling": "settle", "adding": "add", "spreading": "spread", "laying": "lay"},
}
LIKE: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(("propose", "bid", "nominate", "auction"), ("offer",)),
    **dict.fromkeys(("choose", "pick", "sell"), ("offer", "settle", "drop")),
    **dict.fromkeys(("want", "get", "grab"), ("buy", "take", "offer")),
    **dict.fromkeys(("expand", "grow", "go", "goes", "move", "place"), ("spread", "add", "settle", "lay")),
    **dict.fromkeys(("start", "starts", "begin", "begins"), ("settle",)),
    **dict.fromkeys(("remove", "kill", "lose"), ("starve", "drop", "discard")),
    **dict.fromkeys(("skip", "nothing", "remain"), ("pass", "stay", "decline", "discard")),
    **{
        "reject": ("decline",),
        "buy": ("take", "offer"),
        "discard": ("decline",),
        "keep": ("take",),
        "have": ("buy", "take"),
    },
    **{"take": ("buy", "offer", "settle", "starve"), "put": ("spread", "add", "settle", "lay", "offer")},
    **{"drop": ("discard", "decline", "starve"), "decline": ("pass", "stay", "discard"), "stay": ("pass", "decline")},
    **{"pass": ("decline", "stay", "discard"), "spread": ("add", "settle"), "add": ("spread", "settle")},
    **{"settle": ("spread", "add"), "starve": ("drop",)},
}
# They need nothing after them.
ALONE: Final = tuple(word for word, form in FORMS.items() if not form.fewest and word not in ANY_TIME)
NO_SLIP: Final = r"bye|by|say|day|best|bay|boy|past|post|and|may|made|lady|ready|off|other|later"
RESIGN: Final = r"(?:resign|resigning|quit|give up|(?:leave|leaving) the game|resign from the game)"
AGREE: Final = r"agree(?:d)?(?: to)?(?: the| an)? end(?:ing)?(?: the game| of the game)?(?: here| now)?"
MANY: Final = ("spread", "spread neutral", "starve", "lay")  # these name everything at once
