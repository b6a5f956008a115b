"""How people refer to what was said before: the patterns that ``history`` reads follow-ups by."""

from __future__ import annotations

import re

__all__ = [
    "DESCRIBED",
    "ELLIPSIS",
    "EXPLETIVE",
    "FRESH",
    "FUNCTION",
    "NEWEST",
    "NTH",
    "NTHS",
    "OF_THEM",
    "OLDEST",
    "OPPOSED",
    "PLURAL",
    "SINGULAR",
    "SUPERLATIVE",
    "WHICH_ONE",
    "WHOLE",
    "YES",
]

YES = re.compile(
    r"(?:yes|yeah|yep|sure|ok(?:ay)?|please(?: do)?|go on|continue|more|tell me more|and|why|how|how so|really|"
    r"yes,? please|(?:can you )?(?:explain|elaborate)(?: (?:more|that|this|it))?|(?:some )?more details?|details?)"
    r"(?: please)?[\s.!?]*",
    re.IGNORECASE,
)
OF_THEM = re.compile(
    r"\b(?:which|what|who|any|one|some|all|both|none|each|how many) (?:one )?of "
    r"(?:them|these|those|the (?:two|three|four))\b"
    r"|\bamong (?:them|these|those)\b",
    re.IGNORECASE,
)
WHICH_ONE = re.compile(
    r"^(?:and )?(?:so )?(?:which|what) (?:one |ones )?(?:is|are|was|has|have|does|do|came|runs?|uses?)\b", re.I
)
SUPERLATIVE = re.compile(
    r"\b(?:(?:new|old|fast|slow|small|large|big|cheap|simpl|easi|late|earli|strong|light|short|long|good|hard)"
    r"(?:er|est)|best|better|worst|worse|most (?:\w+)|least (?:\w+)|more (?:\w+)|first|last|latest|newest|oldest)\b",
    re.IGNORECASE,
)
NEWEST = re.compile(
    r"\b(?:newest|latest|most recent|more recent|newer|last published|most up[- ]to[- ]date)\b", re.IGNORECASE
)
OLDEST = re.compile(r"\b(?:oldest|earliest|older|came first|first published|first one published)\b", re.IGNORECASE)
NTH = re.compile(
    r"\bthe (first|second|third|fourth|fifth|last|former|latter|other)"
    r"(?: (?:one|paper|entry|of (?:them|these|those)))?\b",
    re.IGNORECASE,
)
NTHS = {"first": 0, "former": 0, "second": 1, "latter": 1, "third": 2, "fourth": 3, "fifth": 4, "last": -1}
SINGULAR = re.compile(
    r"\b(?:it|its|itself|he|she|his|her|(?:this|that|the)(?: same)? (?:one|paper|work|method|approach|technique|"
    r"system|model|tool|project|repository|repo|library|book|course|algorithm|framework|simulator|compiler|chip|"
    r"kernel|architecture|authors?|entry|resource|article|guide))\b(?! (?:of|for|that|which|in|by)\b)|"
    r"\b(?:this|that)(?= *(?:[?.!]|$))|"
    r"\b(?:does|is|was|did|can|has) (?:this|that)\b",
    re.IGNORECASE,
)
PLURAL = re.compile(
    r"\b(?:they|them|their|theirs|these|those|both|(?:the|these|those) (?:papers|works|methods|approaches|tools|ones|"
    r"systems|models|projects|books|entries|resources|two|three))\b",
    re.IGNORECASE,
)
ELLIPSIS = re.compile(r"^(?:and what about|and|but|or|also|what about|how about|same for)\b[\s,:]*", re.I)
WHOLE = re.compile(r"(?:what|who|where|when|why|how) (?:is|are|was|were|does|do|did)\b", re.IGNORECASE)
FRESH = re.compile(
    r"^(?:ok(?:ay)?,? |and |so )?(?:now,? )?(?:for )?"
    r"(?:something (?:else|different)|another (?:question|topic|thing)|(?:a )?(?:new|different) (?:question|topic)|"
    r"(?:let's )?chang(?:e|ing) (?:the )?(?:subject|topic))[\s:,.;–—-]+",
    re.IGNORECASE,
)
DESCRIBED = re.compile(r"\bthe (?:one|ones) (?:with|that|which|for|from|by|using|about|on)\b", re.IGNORECASE)
EXPLETIVE = re.compile(
    r"\b(?:it is|is it|was it|it's|does it (?:take|make sense)) (?:true|possible|known|safe|worth|take)\b", re.I
)
_FUNCTION_WORDS = """
a an and are as at be been but by can could did do does for from had has have how i in is it its many may me much my
of on one or should so some tell than that the their them then there these they this those to too was we were what
when where which who whom whose why will with would you your about please show give there's any also again long big
fast old new good bad often really still yet just work works use used paper published written made wrote come came
start started year date people compare comparison
"""
FUNCTION = frozenset(_FUNCTION_WORDS.split())
OPPOSED = (
    {"training", "train", "finetuning", "fine-tuning"},
    {"inference", "serving", "serve", "deployment"},
)
