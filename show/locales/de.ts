import type { Locale } from "./contract.ts";
import { deMessages } from "./de-messages.ts";
import { deWords } from "./de-words.ts";

export const de: Locale = {
  id: "de-1",
  lang: "de",
  numbers: { decimal: ",", group: ".", list: "; " },
  raise: "{feature} von {from} auf {to} erhöhen",
  lower: "{feature} von {from} auf {to} senken",
  change: "{feature} von {from} zu {to} ändern",
  state: "{feature} angeben: {to}",
  clear: "{feature} (derzeit {from}) nicht angeben",
  missing: "fehlt",
  yes: "ja",
  no: "nein",
  none: "Nichts muss sich ändern",
  infeasible: "Unter den gegebenen Bedingungen wurde kein Plan gefunden",
  optimalReferences:
    "unter den Mischungen mit den {count} durchsuchten Referenzen gibt es keinen Plan mit weniger Änderungen",
  optimalReference: "unter den Mischungen mit dieser Referenz gibt es keinen Plan mit weniger Änderungen",
  optimalProposal:
    "unter den Mischungen mit dem Vorschlag der Zeile gibt es keinen Plan mit weniger Änderungen",
  optimalModel: "für beliebige zulässige Werte gibt es keinen Plan mit weniger Änderungen",
  cheapestReferences:
    "unter den Mischungen mit den {count} durchsuchten Referenzen gibt es keinen Plan mit geringeren Kosten",
  cheapestReference: "unter den Mischungen mit dieser Referenz gibt es keinen Plan mit geringeren Kosten",
  cheapestProposal:
    "unter den Mischungen mit dem Vorschlag der Zeile gibt es keinen Plan mit geringeren Kosten",
  cheapestModel: "für beliebige zulässige Werte gibt es keinen Plan mit geringeren Kosten",
  atLeastReferences:
    "weniger als {edits} {edits|Änderung|Änderungen} sind bei den {count} durchsuchten Referenzen ausgeschlossen",
  atLeastReference: "weniger als {edits} {edits|Änderung|Änderungen} sind bei dieser Referenz ausgeschlossen",
  atLeastProposal:
    "weniger als {edits} {edits|Änderung|Änderungen} sind beim Vorschlag der Zeile ausgeschlossen",
  atLeastModel:
    "weniger als {edits} {edits|Änderung|Änderungen} sind für alle zulässigen Werte ausgeschlossen",
  noneReferences: "keine Mischung mit den {count} durchsuchten Referenzen erreicht das Ziel",
  noneReference: "keine Mischung mit dieser Referenz erreicht das Ziel",
  noneProposal: "keine Mischung mit dem Vorschlag der Zeile erreicht das Ziel",
  noneModel: "keine zulässigen Werte erreichen das Ziel",
  goalClass: "Jede Zeile soll die Klasse {classes} erhalten.",
  goalNot: "Jede Zeile soll eine andere Klasse als {classes} erhalten.",
  goalContest:
    "Scores sind der Abstand dazu: der größte Score einer gewünschten Klasse minus der größte der übrigen; über 0 ist das Ziel erreicht.",
  goalRange: "Für jede Zeile soll der Score {output} im Bereich {range} liegen.",
  goalMargin: "Der Score soll um {margin} jenseits der Grenze liegen.",
  goalGroup:
    "Gemeinsam sollen die Zeilen {level} des Abstands zu den Referenzen überwinden ({divergence} der {on}).",
  reason: "{feature}: {value}",
  reasonAgainst: "{feature}: {value}, zum Vergleich {other}",
  words: deWords,
  messages: deMessages,
};
