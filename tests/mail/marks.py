# ruff: noqa: RUF001 -- the spaces, colons and dashes of many programs are meant
"""What mail programs and phones put between a reply and the mail that it answers, in six languages.

The manners are those of Gmail, Apple, Outlook, Thunderbird, Yahoo, Samsung, GMX, La Poste, Orange, Libero, K-9 and
others. The lines are as they really are: the fixtures of talon, quotequail, email_reply_trimmer, email-reply-parser and
mail-parser-reply have most of them.
"""

import textwrap
from collections.abc import Iterator
from itertools import product

WHO = "Ann Lee"
AT = "ann.private@home.example"

PHONES = {
    "en": (
        "Sent from my iPhone",
        "Sent from my iPad Pro.",
        "Sent from my Wiko LENNY4",
        "Sent from my Samsung Galaxy smartphone.",
        "Sent from my HUAWEI P30 lite",
        "Sent from my BlackBerry® wireless device",
        "Sent from my HTC M8 Android phone.  Please excuse typos",
        "Sent from my Android device with K-9 Mail. Please excuse my brevity.",
        "Sent from my Windows 8 PC <http://windows.microsoft.com/consumer-preview>",
        "Sent from my cell, please excuse any typos.",
        "Sent from my mobile device",
        "Sent from my phone",
        "sent from my pixel 7",
        "(sent from a phone)",
        "<<sent by galaxy>>",
        "Sent via mobile",
        "Sent via BlackBerry from T-Mobile",
        "Sent from Outlook for Android<https://aka.ms/AAb9ysg>",
        "Sent from Outlook for Android<https://aka.ms/\nAAb9ysg>",
        "Sent from Outlook for iOS [https://aka.ms/o0ukef]",
        "Get Outlook for iOS<https://aka.ms/o0ukef>",
        "Get Outlook for Android",
        "Sent from Mail<https://go.microsoft.com/fwlink/?LinkId=550986> for Windows 10",
        "Sent from Yahoo Mail on Android",
        "Sent from Yahoo Mail for iPhone",
        "Yahoo Mail: Search, Organize, Conquer",
        "Sent with Proton Mail secure email.",
        "Sent from Proton Mail for iOS",
        "Sent using Zoho Mail",
        "Sent with Spark",
        "Get BlueMail for Android",
        "Secured with Tuta Mail:\nhttps://tuta.com/free-email",
        "*Sent from my iPhone*",
        "Sent with Aqua Mail for Android\nhttps://www.mobisystems.com/aqua-mail",
        "From my iPhone",
        "Ann from mobile",
        "Virus-free.www.avast.com",
        "This email has been checked for viruses by Avast antivirus software.",
        "Please consider the environment before printing this email.",
    ),
    "de": (
        "Virenfrei.www.avast.com",
        "Diese E-Mail wurde von Avast Antivirus-Software auf Viren geprüft.\nwww.avast.com",
        "Bitte denken Sie an die Umwelt, bevor Sie diese E-Mail ausdrucken.",
        "Gesendet von Outlook für Android<https://aka.ms/AAb9ysg>",
        "Von meinem iPhone gesendet",
        "Von meinem Xiaomi gesendet",
        "Von meinem/meiner Galaxy gesendet",
        "Von meinem Samsung Galaxy Smartphone gesendet.",
        "Von meinem HUAWEI P30 lite gesendet",
        "Von meinem BlackBerry 10-Smartphone gesendet.",
        "Von unterwegs gesendet",
        "Unterwegs gesendet",
        "Mobil gesendet",
        "Gesendet von meinem iPhone",
        "Gesendet von meinem Mobiltelefon",
        "Gesendet von unterwegs",
        "Gesendet von Mail für Windows 10",
        "Gesendet von Yahoo Mail auf Android",
        "Gesendet mit der GMX Mail App",
        "Gesendet mit der mobilen Mail App",
        "Gesendet mit Proton Mail",
        "Gesendet aus Proton Mail für iOS",
        "Gesendet über BlueMail",
        "Diese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.",
        "Diese Nachricht wurde von meinem Android-Mobiltelefon mit K-9 Mail\ngesendet.",
        "Diese E-Mail wurde von meinem Handy gesendet",
        "Holen Sie sich Outlook für iOS<https://aka.ms/o0ukef>",
        "Outlook für Android herunterladen<https://aka.ms/AAb9ysg>",
        "Outlook für iOS beziehen",
    ),
    "fr": (
        "Sans virus.www.avast.com",
        "Garanti sans virus. www.avast.com",
        "Pensez à l'environnement avant d'imprimer ce message.",
        "Envoyé de mon iPhone",
        "Envoyé depuis mon Wiko",
        "Envoyé depuis mon smartphone Samsung Galaxy.",
        "Envoyé de mon appareil Samsung",
        "Envoyé de mon mobile",
        "Envoyé à partir de Outlook pour Android<https://aka.ms/AAb9ysg>",
        "Envoyé à partir d’un smartphone",
        "Envoyé de Outlook pour iOS",
        "Obtenir Outlook pour iOS<https://aka.ms/o0ukef>",
        "Obtenez Outlook pour Android",
        "Télécharger Outlook pour Android",
        "Téléchargez Outlook pour iOS",
        "Provenance : Courrier pour Windows 10",
        "Envoyé depuis Yahoo Mail pour Android",
        "Envoyé depuis l'application Mail Orange",
        "Envoyé depuis ma tablette",
        "Envoyé avec Proton Mail",
        "Envoyé avec la messagerie sécurisée Proton Mail.",
        "Envoyé via BlueMail",
        "Envoyé par mon Huawei",
        "Envoye de mon iPhone",
        "Message envoyé depuis mon téléphone",
        "De mon iPhone",
    ),
    "it": (
        "Mail priva di virus. www.avast.com",
        "Prima di stampare questa mail pensa all'ambiente.",
        "Inviato da iPhone",
        "Inviato dal mio iPhone",
        "Inviato dal mio Huawei",
        "Inviato dal mio dispositivo Samsung Galaxy",
        "Inviato da smartphone Samsung Galaxy.",
        "Inviato da Outlook per Android<https://aka.ms/AAb9ysg>",
        "Inviato da Posta per Windows 10",
        "Inviato da Yahoo Mail su Android",
        "Inviato da Libero Mail per Android",
        "Inviato dall'app Virgilio Mail",
        "Inviato con Proton Mail",
        "Inviato tramite BlackBerry",
        "Inviata dal mio cellulare",
        "Inviato dal cellulare",
        "Messaggio inviato da dispositivo mobile",
        "Scarica Outlook per Android<https://aka.ms/AAb9ysg>",
        "Ottieni Outlook per iOS",
        "Da mio iPhone",
    ),
    "es": (
        "Enviado desde mi iPhone",
        "Enviado desde mi Xiaomi",
        "Enviado desde mi Samsung Mobile de Movistar",
        "Enviado desde mi HUAWEI",
        "Enviado desde mi móvil",
        "Enviado desde un dispositivo móvil",
        "Enviado de Samsung Mobile",
        "Enviado desde Outlook para Android<https://aka.ms/AAb9ysg>",
        "Enviado desde Correo<https://go.microsoft.com/fwlink/?LinkId=550986> para Windows 10",
        "Enviado desde Yahoo Mail para Android",
        "Enviado con Proton Mail",
        "Enviado a través de BlueMail",
        "Enviado por mi Galaxy",
        "Mensaje enviado desde mi móvil",
        "Obtener Outlook para iOS<https://aka.ms/o0ukef>",
        "Obtén Outlook para Android",
        "Descargar Outlook para Android",
        "Desde mi iPhone",
    ),
    "nl": (
        "Verzonden vanaf mijn iPhone",
        "Verstuurd vanaf mijn iPad",
        "Verzonden vanaf mijn Galaxy",
        "Verzonden met mijn Samsung Galaxy-smartphone.",
        "Verzonden vanaf Outlook voor Android<https://aka.ms/AAb9ysg>",
        "Verzonden vanuit Mail voor Windows 10",
        "Verzonden vanaf mijn mobiel",
        "Verstuurd met mijn telefoon",
        "Verzonden met Proton Mail",
        "Verzonden via Ziggo Mail",
        "Verzonden via Yahoo Mail op Android",
        "Verstuurd van mijn Huawei",
        "Outlook voor iOS ophalen<https://aka.ms/o0ukef>",
        "Outlook voor Android downloaden",
        "Download Outlook voor Android",
        "Vanaf mijn iPhone",
    ),
}

ATTRIBUTIONS = {
    "en": (
        f"On Mon, Nov 2, 2026 at 10:00 AM {WHO} <{AT}> wrote:",
        f"On 2 Nov 2026, at 10:00, {WHO} <{AT}> wrote:",
        f"On 11-Apr-2026, at 6:54 PM, {WHO} <{AT}> wrote:",
        f"On Monday, November 2, 2026 at 10:00:00 AM GMT+1, {WHO} <{AT}> wrote:",
        f"On Monday, November 2, 2026, {WHO} wrote:",
        f"On Mon, 2026-11-02 at 10:00 +0100, {WHO} wrote:",
        f"On 02/11/26 10:00, {WHO} wrote:",
        f"On 02.11.26 10:00, {WHO} wrote",
        f'On Nov 2, 2026 10:00 AM, "{WHO}" <{AT}> wrote:',
        f"On Nov 2, 2026 10:00 AM, {WHO} <{AT}<mailto:{AT}>> wrote:",
        f"On Mon, Nov 2, 2026 at 10:00 AM Lee, Ann ({AT}) wrote:",
        f"On 11-Apr-2026, at 6:54 PM, {WHO} <{AT}> sent:",
        f"{WHO} <{AT}> wrote:",
        f"{WHO} ({AT}) wrote:",
        f"{WHO} wrote:",
        f"{AT} wrote:",
        f"{WHO} <{AT}> wrote on Mon, 2 Nov 2026 at 10:00:",
        f"{WHO} wrote on 02.11.26 10:00:",
        f"{WHO} via First Sparks <{AT}> wrote:",
        f"---- On Mon, 02 Nov 2026 10:00:00 +0100 {WHO} <{AT}> wrote ----",
        f"------On 11/02/2026 10:00 AM, {WHO} wrote-----",
        f"---- {WHO} wrote ----",
        f"--- On Mon, 11/2/26, {WHO} <{AT}> wrote:",
        f"In message <42@home.example>, {WHO} writes:",
        "At 11/2/2026 10:00 AM, you wrote:",
        f"Quoting {WHO} <{AT}>:",
        f"2026-11-02 10:00 GMT+01:00 {WHO} <{AT}>:",
        f"On Tue, Apr 11, 2026 at 10:07 PM {WHO}\n\n<\nmailto:{WHO} <{AT}>\n> wrote:",
        f"On Tue, Apr 11, 2026 at 10:07 PM {WHO} <\nmailto:{AT}\n> wrote:",
        f"On Tue, Apr 11, 2026 at 10:07 PM {WHO} <\n{AT}> wrote:",
        f"{WHO} <\nmailto:{WHO} <{AT}>\n> wrote:",
        f"{WHO}\n<\nmailto:{AT}\n>\nwrote:",
        f"Sent from Samsung Mobile{WHO} <{AT}> wrote:",
    ),
    "de": (
        f"Am 02.11.2026 um 10:00 schrieb {WHO} <{AT}>:",
        f"Am 02.11.26 um 10:00 schrieb {WHO}:",
        f"Am Mo., 2. Nov. 2026 um 10:00 Uhr schrieb {WHO} <{AT}>:",
        f"Am Montag, 2. November 2026, 10:00:00 MEZ hat {WHO} <{AT}> Folgendes geschrieben:",
        f"Am Montag, 2. November 2026 schrieb {WHO}:",
        "Am 2.11.2026 10:00 schrieben Sie:",
        f"{WHO} <{AT}> schrieb am Mo., 2. Nov. 2026, 10:00:",
        f"{WHO} schrieb am 02.11.26 um 10:00:",
        f"{WHO} <{AT}> schrieb am Montag, 2. November 2026:",
        f"{WHO} <{AT}> schrieb:",
        f"{WHO} schrieb:",
        f"{AT} schrieb:",
        f"{WHO} <{AT}> hat am 02.11.2026 10:00 geschrieben:",
        f"Zitat von {WHO} <{AT}>:",
        f"Am Di., 11. Apr. 2026 um 22:07 Uhr schrieb {WHO}\n<\nmailto:{WHO} <{AT}>\n>:",
        f"Am 2. November 2026 10:00:00 MEZ schrieb {WHO} <\n{AT}>:",
    ),
    "fr": (
        f"Le lun. 2 nov. 2026 à 10:00, {WHO} <{AT}> a écrit :",
        f"Le 2 nov. 2026 à 10:00, {WHO} <{AT}> a écrit :",
        f"Le 2 nov. 2026 à 10:00, {WHO} <{AT}<mailto:{AT}>> a écrit:",
        f"Le lundi 2 novembre 2026 à 10:00:00 UTC+1, {WHO} <{AT}> a écrit :",
        f"Le 02/11/2026 à 10:00, {WHO} a écrit :",
        f"Le 02/11/2026 à 10h00, {WHO} a écrit :",
        f"Le lundi 2 novembre 2026, {WHO} a écrit :",
        f"{WHO} <{AT}> a écrit :",
        f"{WHO} a écrit :",
        f"{AT} a écrit :",
        "Le lundi 2 novembre 2026 à 10:00:00, vous écriviez :",
        f"{WHO} a écrit le lundi 2 novembre 2026 à 10:00 :",
        f"{WHO} <{AT}> a écrit le 02/11/2026 10:00 :",
        f"Le mar. 11 avr. 2026 à 22:07, {WHO}\n<\nmailto:{WHO} <{AT}>\n> a écrit :",
        f"Le mar. 11 avr. 2026 à 22:07, {WHO} <\n{AT}> a écrit :",
    ),
    "it": (
        f"Il giorno lun 2 nov 2026 alle ore 10:00 {WHO} <{AT}> ha scritto:",
        f"Il giorno 2 nov 2026, alle ore 10:00, {WHO} <{AT}> ha scritto:",
        f"Il lunedì 2 novembre 2026 alle ore 10:00:00 CET, {WHO} <{AT}> ha scritto:",
        f"Il 02/11/2026 10:00, {WHO} ha scritto:",
        f"Il giorno lunedì 2 novembre 2026, {WHO} ha scritto:",
        f"In data 2 novembre 2026 10:00:00 {WHO} ha scritto:",
        f"{WHO} <{AT}> ha scritto:",
        f"{WHO} ha scritto:",
        f"{AT} ha scritto:",
        f"{WHO} ha scritto il 02/11/2026 alle 10:00:",
        f"{WHO} <{AT}> ha scritto in data 02/11/2026 10:00:",
        f"Il giorno mar 11 apr 2026 alle ore 22:07 {WHO}\n<\nmailto:{WHO} <{AT}>\n> ha scritto:",
        f"Il giorno mar 11 apr 2026 alle ore 22:07 {WHO} <\n{AT}> ha scritto:",
    ),
    "es": (
        f"El lun, 2 nov 2026 a las 10:00, {WHO} (<{AT}>) escribió:",
        f"El lun., 2 de noviembre de 2026 10:00 a. m., {WHO} <{AT}> escribió:",
        f"El 2 nov 2026, a las 10:00, {WHO} <{AT}> escribió:",
        f"El lunes, 2 de noviembre de 2026, 10:00:00 CET, {WHO} <{AT}> escribió:",
        f"El lunes, 2 de noviembre de 2026, {WHO} escribió:",
        f"El 02/11/2026 a las 10:00, {WHO} escribió:",
        f"El 02/11/26 10:00, {WHO} escribio:",
        f"{WHO} <{AT}> escribió:",
        f"{WHO} escribió:",
        f"{AT} escribió:",
        f"{WHO} escribió el 02/11/2026 10:00:",
        f"{WHO} <{AT}> escribió el lun., 2 nov. 2026 a las 10:00:",
        f"El mar, 11 abr 2026 a las 22:07, {WHO}\n<\nmailto:{WHO} <{AT}>\n> escribió:",
        f"El mar, 11 abr 2026 a las 22:07, {WHO} <\n{AT}> escribió:",
    ),
    "nl": (
        f"Citeren {WHO} <{AT}>:",
        f"Citeren {WHO}:",
        f"Op ma 2 nov 2026 om 10:00 schreef {WHO} <{AT}>:",
        f"Op 2 nov. 2026, om 10:00 heeft {WHO} <{AT}> het volgende geschreven:",
        f"Op 17-nov.-2026, om 13:18 heeft {WHO} <{AT}> het volgende geschreven:",
        f"Op maandag 2 november 2026 om 10:00:00 CET schreef {WHO} <{AT}>:",
        f"Op maandag 2 november 2026 schreef {WHO}:",
        f"Op 02-11-2026 om 10:00 schreef {WHO}:",
        f"Op 13-02-2026 3:18 schreef {WHO} <{AT}>:",
        f"{WHO} <{AT}> schreef op 2 november 2026 10:00:00 CET:",
        f"{WHO} schreef op 02-11-2026 10:00:",
        f"{WHO} <{AT}> schreef:",
        f"{WHO} schreef:",
        f"{AT} schreef:",
        f"{WHO} <{AT}> heeft op 02-11-2026 10:00 geschreven:",
        f"Op di 11 apr 2026 om 22:07 schreef {WHO}\n<\nmailto:{WHO} <{AT}>\n>:",
        f"Op di 11 apr 2026 om 22:07 schreef {WHO} <\n{AT}>:",
    ),
}

# From, sent, to, subject; and the headers of other programs, with their dates.
LABELS = {
    "en": (("From", "Sent", "To", "Subject"), ("From", "Date", "To", "Cc", "Subject")),
    "de": (("Von", "Gesendet", "An", "Betreff"), ("Von", "Datum", "An", "Kopie", "Betreff")),
    "fr": (("De", "Envoyé", "À", "Objet"), ("De", "Date", "A", "Copie à", "Objet")),
    "it": (("Da", "Inviato", "A", "Oggetto"), ("Da", "Data", "A", "Cc", "Ogg")),
    "es": (("De", "Enviado el", "Para", "Asunto"), ("De", "Fecha", "Para", "CC", "Asunto")),
    "nl": (("Van", "Verzonden", "Aan", "Onderwerp"), ("Van", "Datum", "Aan", "CC", "Onderwerp")),
}
DATES = {
    "en": "Monday, November 2, 2026 10:00 AM",
    "de": "Montag, 2. November 2026 10:00",
    "fr": "lundi 2 novembre 2026 10:00",
    "it": "lunedì 2 novembre 2026 10:00",
    "es": "lunes, 2 de noviembre de 2026 10:00",
    "nl": "maandag 2 november 2026 10:00",
}
ORIGINALS = {
    "en": ("Original Message", "Original message", "Reply message", "Forwarded message", "Original Email"),
    "de": ("Ursprüngliche Nachricht", "Originalnachricht", "Original-Nachricht", "Weitergeleitete Nachricht"),
    "fr": ("Message d'origine", "Message d’origine", "Message original", "Message initial", "Message transféré"),
    "it": ("Messaggio originale", "Messaggio Originale", "Messaggio inoltrato", "Messaggio precedente"),
    "es": ("Mensaje original", "Mensaje Original", "Mensaje reenviado", "Mensaje anterior"),
    "nl": ("Oorspronkelijk bericht", "Origineel bericht", "Doorgestuurd bericht"),
}
FORWARDS = {
    "en": ("Begin forwarded message:", "Start of forwarded message:"),
    "de": ("Anfang der weitergeleiteten Nachricht:", "Anfang der weitergeleiteten E-Mail:"),
    "fr": ("Début du message réexpédié :", "Début du message transféré :"),
    "it": ("Inizio messaggio inoltrato:", "Inizio del messaggio inoltrato:"),
    "es": ("Inicio del mensaje reenviado:",),
    "nl": ("Begin doorgestuurd bericht:",),
}
DASHES = ("-----", "--------", "---", "_____", "=====", "*****", "——", "–––", "‐‐‐‐‐‐‐")
RULES = ("", "_" * 32 + "\n", "-" * 30 + "\n\n", "-----\n", "—" * 24 + "\n", "=" * 20 + "\n")


def blocks(language: str) -> Iterator[tuple[str, str]]:
    """Yield the headers of an older mail in the manners of many programs, each with the name of the manner."""
    (who, sent, to, about), other = LABELS[language]
    date, colon = DATES[language], " :" if language == "fr" else ":"
    values = (f"{WHO} <{AT}>", date, "First Sparks <club@example.org>", "Re: [friday] your turn")
    rows = list(zip((who, sent, to, about), values, strict=True))
    plain = [f"{label}{colon} {value}" for label, value in rows]
    yield "plain", "\n".join(plain)
    yield "no address", "\n".join((f"{who}{colon} {WHO}", *plain[1:2], f"{to}{colon} First Sparks", plain[3]))
    yield "date words only", "\n".join((f"{who}{colon} {WHO}", f"{sent}{colon} {date.split()[0]}", plain[3]))
    yield "Mail of Apple", "\n".join(f"{label}{colon} {values[min(i, 3)]}" for i, label in enumerate(other))
    yield "apart", "\n\n".join(plain)
    yield "indented", "\n".join(f"  {line}" for line in plain)
    yield "sent first", "\n".join((plain[1], plain[0], *plain[2:]))
    yield "subject first", "\n".join((plain[3], plain[1], plain[0], plain[2]))
    yield "one paragraph", " ".join(plain)
    yield "tabs", "\n".join(f"{label}{colon}\t{value}" for label, value in rows)
    yield "values on the next line", "\n".join(f"{label}{colon}\n{value}" for label, value in rows)
    yield "address on the next line", "\n".join((f"{who}{colon} {WHO}", f"<{AT}>", *plain[1:]))
    yield "mailto on the next line", "\n".join((f"{who}{colon} {WHO} [mailto:", f"{AT}]", *plain[1:]))
    yield "address between", "\n".join((f"{who}{colon}", f"{WHO} <{AT}>", f"{sent}{colon}", date, *plain[2:]))
    yield "address in brackets", "\n".join((f"{who}{colon} {AT} [mailto:{AT}]", *plain[1:]))
    yield "subject wrapped", "\n".join((*plain, "with a second line"))
    for name, before, after in (
        ("stars", "*", f"{colon}*"),
        ("two stars", "**", f"{colon}**"),
        ("stars before the colon", "*", f"*{colon}"),
    ):
        starred = [f"{before}{label}{after} {value}" for label, value in rows]
        yield name, "\n".join(starred)
        yield f"{name}, address wrapped", "\n".join((f"{before}{who}{after} {AT} [mailto:", AT + "]", *starred[1:]))
        yield f"{name}, values on the next line", "\n".join(f"{before}{label}{after}\n{value}" for label, value in rows)
    yield "stars around all", "\n".join(f"*{line}*" for line in plain)


def originals(language: str) -> Iterator[str]:
    """Yield the lines that say that an older mail begins."""
    for words in ORIGINALS[language]:
        for dashes, blank in product(DASHES, ("", " ")):
            yield f"{dashes}{blank}{words}{blank}{dashes}"
        yield f"*-------- {words} --------*"
        yield f"**-----{words}-----**"
        yield f"[{words}]"
        yield f"-------- {words}"
        yield f"-------- {words} --------\n{blocks_of_phone(language)}"
    yield from FORWARDS[language]
    yield from (f"*{line}*" for line in FORWARDS[language])


def blocks_of_phone(language: str) -> str:
    """Return the headers as Samsung's phones write them."""
    (who, _, to, about), (_, date, *_) = LABELS[language]
    return f"{who} : {WHO} <{AT}>\n{date} : 02/11/2026 10:00 (GMT+01:00)\n{to} : {AT}\n{about} : Re: x"


def marks() -> Iterator[tuple[str, str, str, str]]:
    """Yield the kind, the language, the name and the lines of each mark."""
    for language in LABELS:
        yield from (("phone", language, line, line) for line in PHONES[language])
        yield from (("attribution", language, line, line) for line in ATTRIBUTIONS[language])
        yield from (("original", language, line, line) for line in originals(language))
        for name, block in blocks(language):
            yield from (("headers", language, f"{name}, {rule[:3]}", rule + block) for rule in RULES)
    for name, message in POSTS.items():
        yield ("quoted" if message.startswith("> ") else "headers", "fr", name, message)


# La Poste, Orange, Free and GroupWise.
POSTS = {
    "La Poste": f'> Message du 02/11/26 10:00\n> De : "{WHO}" <{AT}>\n> A : {AT}\n> Copie à : \n> Objet : Re: x',
    "La Poste, unmarked": f'Message du 02/11/26 10:00\nDe : "{WHO}" <{AT}>\nA : {AT}\nCopie à :\nObjet : Re: x',
    "Orange": f'Message du : 02/11/2026 10:00\nDe : "{WHO}" <{AT}>\nA : {AT}\nSujet : Re: x',
    "Orange, no addresses": f"Message du : 02/11/2026\nDe : {WHO}\nA : First Sparks\nSujet : Re: x",
    "Orange, one line": f"Message du : 02/11/2026 10:00 De : {WHO} <{AT}> A : {AT} Objet : Re: x",
    "Orange, apart": f"Message du : 02/11/2026 10:00\n\nDe : {WHO} <{AT}>\n\nA : {AT}\n\nObjet : Re: x",
    "GroupWise": f">>> {WHO} <{AT}> 02.11.2026 10:00 >>>",
    "GroupWise, no address": f">>> {WHO} 02.11.26 10.00 Uhr >>>",
    "Orange, quoted words": f"> Message du 02/11/26 10:00\n> De : {AT}\n> A : {AT}\n> Copie à :\n> Objet : x\n>",
}


def wrapped(line: str) -> Iterator[str]:
    """Yield an attribution broken at every column into two to four lines, but not within a name."""
    seen: set[str] = set()
    for width in range(18, len(line)):
        broken = textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)
        text = "\n".join(broken)
        if 2 <= len(broken) <= 4 and text not in seen and "First\nSparks" not in text:
            seen.add(text)
            yield text
