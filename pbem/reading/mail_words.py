# ruff: noqa: RUF001 -- the letters of many languages are meant
"""The words that mail programs and phones write around an older mail, for each language a table of regular expressions.

A new language or program is a line here; ``marks`` has the rules, and ``tests/mail/marks.py`` the lines as they are.

- ``from``: the header with the writer; ``headers``: the others
- ``wrote``: the verb of an attribution; ``on``: the word with which one that begins with its date begins
- ``originals``: what stands between dashes above an older mail; ``forwards``: such a line that ends with a colon
- ``forwarded``: how a line that ends with a colon ends besides, if it says the same in other words
- ``old``: what any line between dashes has above an older mail, in languages whose phrases are not known exactly
- ``months``: how the months begin; ``confidential``: what a notice at the end of a company's mails has
- ``sent``: how the line of a phone begins; ``own``: what may come before the name of the phone or program
- ``sent_by``, ``sent_at_end``: for a language that can say *sent* last, how the line begins then, and how it ends
- ``get``: how an advertisement for one of the ``programs`` begins; ``got``: how it ends where that is said last
- ``devices``: how words for phones and their programs begin that have no capital letter
- ``feelings``: how words begin that nothing but a person writes in such a place
"""

from collections.abc import Mapping
from typing import Final

WORDS: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "from": "from",
        "headers": "sent|date|to|cc|bcc|subject|reply-to|received|importance|attachments",
        "wrote": "wrote|writes|quoting",
        "on": "on|at(?= \\d{1,4}[/.-])|in (?:a )?message(?: dated)?",
        "originals": "(?:original|reply|previous|forwarded) (?:message|e-?mail)",
        "forwards": "(?:begin|start of) forwarded (?:message|e-?mail)",
        "forwarded": "forwarded \\w+",
        "months": "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec",
        "confidential": "confidential",
        "sent": "(?:sent|secured) (?:from|with|using|via|by|through|on)|from my(?= \\S+$)",
        "own": "my|an?|the|our",
        "get": "get|download",
        "devices": "mobile|cell|phone|smartphone|tablet|handheld|pda|device|android|i(?:phone|pad|pod)|galaxy|samsung",
        "feelings": "love|heart",
    },
    "de": {
        "from": "von",
        "headers": "gesendet(?: am)?|datum|an|kopie|cc|bcc|betreff|antwort an|empfangen|wichtigkeit|anlagen",
        "wrote": "schrieb(?:en sie)?|schreibt|geschrieben|zitat von",
        "on": "am",
        "originals": "(?:ursprüngliche|weitergeleitete|antwort|original)[- ]?(?:nachricht|e-?mail)",
        "forwards": "(?:anfang|beginn) der weitergeleiteten (?:nachricht|e-?mail)",
        "forwarded": "weitergeleiteten? \\w+",
        "months": "mär|mai|okt|dez",
        "confidential": "vertraulich",
        "sent": "(?:gesendet|verschickt|versendet|geschrieben|gesichert) (?:von|mit|über|aus|via|durch)",
        "own": "meine[mr]?(?:/meiner)?|eine[mr]?|de[mr]|die",
        "sent_by": "von|mit|über|aus|unterwegs|mobil|diese (?:nachricht|e-?mail) wurde",
        "sent_at_end": "gesendet|verschickt|versendet|geschrieben",
        "get": "hole?n? (?:sie sich|dir)|laden sie",
        "got": "herunterladen|beziehen|abrufen|holen",
        "devices": "mobil|unterwegs|handy|smartphone|tablet",
        "feelings": "lieb|herz|grüß|gruß",
    },
    "fr": {
        "from": "de|expéditeur",
        "headers": "envoyé(?: le)?|date|le|[àa]|pour|destinataire|cc|cci|copie(?: [àa])?|objet|sujet|répondre à"
        "|message du",
        "wrote": "a écrit|écrit|écriviez",
        "on": "le",
        "originals": "message (?:d['’]origine|original|initial|précédent|transféré|réexpédié)"
        "|message du\\s?:?\\s?\\d.{0,40}",
        "forwards": "début du message (?:transféré|réexpédié)",
        "forwarded": "transféré \\w+|(?:message|mail|courriel) transféré",
        "months": "fév|avr|mai|jui|aoû|déc",
        "confidential": "confidentiel",
        "sent": "(?:message )?envoy[ée]e? (?:depuis|de|d['’]|à partir d[e'’]|avec|via|par)|provenance ?: (?=courrier)"
        "|de mon(?= \\S+$)",
        "own": "mon|ma|mes|une?|l[ae]|l['’]",
        "get": "obten(?:ir|ez)|télécharge[rz]",
        "devices": "mobile|portable|téléphone|smartphone|tablette|appareil|appli|messagerie|courrier",
        "feelings": "amour|cœur|coeur",
    },
    "it": {
        "from": "da|mittente",
        "headers": "inviato(?: il)?|data|a|per|cc|ccn|oggetto|ogg|rispondi a|ricevuto",
        "wrote": "ha scritto|scrive",
        "on": "il(?: giorno)?|in data",
        "originals": "messaggio (?:originale|inoltrato|precedente)",
        "forwards": "inizio (?:del )?messaggio inoltrato",
        "forwarded": "inoltrat[oa] \\w+|messaggio inoltrato",
        "months": "gen|mag|giu|lug|ago|sett|ott|dic",
        "confidential": "riservat",
        "sent": "(?:messaggio )?inviat[oa] (?:d[ai]|dal|dalla|dall['’]|con|tramite|via)|da mio(?= \\S+$)",
        "own": "mi[oa]|un['’]?|il|la|l['’]",
        "get": "scarica(?:re)?|ottieni|ottenere",
        "devices": "cellulare|telefono|telefonino|smartphone|tablet|dispositivo|mobile|app",
        "feelings": "amore|cuore|affetto",
    },
    "es": {
        "from": "de|remitente",
        "headers": "enviado(?: el)?|fecha|para|a|cc|cco|asunto|responder a|recibido|importancia",
        "wrote": "escribi[óo]",
        "on": "el",
        "originals": "mensaje (?:original|reenviado|anterior|inicial)",
        "forwards": "(?:inicio del|comienzo del|empieza el) mensaje reenviado",
        "forwarded": "(?:mensaje|correo) reenviado",
        "months": "ene|abr|ago|dic",
        "confidential": "confidencial",
        "sent": "(?:mensaje )?enviado (?:desde|de|con|por|vía|via|a través de)|desde mi(?= \\S+$)",
        "own": "mis?|una?|el|la",
        "get": "obt[ée]n(?:er|ga)?|descarg(?:ar|a|ue)",
        "devices": "m[óo]vil|celular|tel[ée]fono|smartphone|tableta?|dispositivo",
        "feelings": "amor|coraz|cariño",
    },
    "nl": {
        "from": "van|afzender",
        "headers": "verzonden(?: op)?|datum|aan|cc|bcc|onderwerp|beantwoorden|ontvangen|bijlagen",
        "wrote": "schreef|schrijft|geschreven|citeren",
        "on": "op",
        "originals": "(?:oorspronkelijk|origineel|vorig|doorgestuurd)e? (?:bericht|e-?mail)",
        "forwards": "begin (?:van (?:het )?)?doorgestuurd bericht",
        "forwarded": "doorgestuurde? \\w+",
        "months": "mrt|maa|mei|okt",
        "confidential": "vertrouwelijk",
        "sent": "(?:verzonden|verstuurd|gestuurd) (?:vanaf|vanuit|van|met|via|door|uit)|vanaf mijn(?= \\S+$)",
        "own": "mijn|m['’]n|een|de|het",
        "get": "download",
        "got": "ophalen|downloaden",
        "devices": "mobiel|mobiele|telefoon|gsm|smartphone|tablet|toestel",
        "feelings": "liefde|hart",
    },
    "others": {
        "from": "från|fra|od|de la|lähettäjä|feladó|odesílatel|gönderen|kimden|từ|από|от|от кого|від|发件人|發件人"
        "|寄件者|寄件人|差出人|送信者|送信元|보낸 ?사람|발신|מאת|من|จาก",
        "headers": "skickat|sendt|til|till|ämne|emne|wysłano|temat|enviada em|assunto|发送时间|收件人|主题",
        "wrote": "escreveu|napisał|skrev|kirjoitti|пишет|писал|написал|пише|написав|napsal|írta|yazdı|a scris|έγραψε"
        "|đã viết|citando",
        "on": "em|den|dne|w dniu",
        "old": "origin|forward|ursprünglich|weitergeleitet|transf[eé]r|inoltrat|reenviad|encaminhad|oorspronkelijk"
        "|doorgestuurd|oryginaln|przekazan"
        "|исходн|пересыла|пересланн|вихідн|alkuperäinen|välitetty|opprinnelig|oprindelig|vidaresänt|videresend|původní"
        "|přeposlan|eredeti|továbbított|orijinal|iletilen|αρχικό|προωθ|gốc|原|转发|轉寄|転送|원본|전달|מקורית|הועבר"
        "|الأصلية|محول",
        "confidential": "poufn|конфиденциальн|机密|機密",
        "programs": "outlook|bluemail|typeapp|aqua ?mail|yahoo mail|spark|gmail|proton ?mail|edison mail",
        "sent": "enviado d[oe]|wysłan[eo] z|skickat från|sendt fra|lähetetty|odesláno z|отправлено (?:из|с|со)"
        "|надіслано з|发自我?的?|發自我?的?|從我的|寄件自|iPhone ?から送信|나의 iPhone에서|נשלח מה|أُرسل(?:ت)? من"
        "|أرسل(?:ت)? من|مرسل من",
    },
}
# The verbs of attributions in scripts that put no blanks between words.
WROTE_UNSPACED: Final = "写道|寫道|のメッセージ|書きました|작성|كتب|كتابة|כתב|מאת"


def words(kind: str) -> str:
    """Return the expression for all words of that kind, in all languages."""
    return "|".join(table[kind] for table in WORDS.values() if kind in table)
