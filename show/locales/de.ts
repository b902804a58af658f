import type { Locale } from "./contract.ts";
import { deCard } from "./de-card.ts";
import { deLoans } from "./de-loans.ts";
import { deMessages } from "./de-messages.ts";
import { deNotes } from "./de-notes.ts";
import { dePapers } from "./de-papers.ts";
import { deWords } from "./de-words.ts";

export const de: Locale = {
  id: "de-5",
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
    "es gibt keinen Plan mit weniger Änderungen, der seine Werte von einem der {count} durchsuchten Beispiele nimmt",
  optimalReference: "es gibt keinen Plan mit weniger Änderungen, der seine Werte von diesem Beispiel nimmt",
  optimalProposal:
    "es gibt keinen Plan mit weniger Änderungen, der seine Werte vom Kontrafaktual der Zeile nimmt",
  leastModel:
    "unter allen zulässigen Werten gibt es keinen Plan mit weniger Änderungen, und keiner mit ebenso wenigen verändert weniger",
  slightestModel: "kein Plan verändert weniger, welche zulässigen Werte man auch wählt",
  optimalNear:
    "unter den Werten der {count} ähnlichsten Zeilen am Ziel gibt es keinen Plan mit weniger Änderungen",
  leastNear:
    "unter den Werten der {count} ähnlichsten Zeilen am Ziel gibt es keinen Plan mit weniger Änderungen, und keiner mit ebenso wenigen verändert weniger",
  cheapestNear:
    "unter den Werten der {count} ähnlichsten Zeilen am Ziel gibt es keinen Plan mit geringeren Kosten",
  slightestNear: "unter den Werten der {count} ähnlichsten Zeilen am Ziel verändert kein Plan weniger",
  atLeastNear:
    "mit Werten der {count} ähnlichsten Zeilen am Ziel {edits|ist|sind} mindestens {edits} {edits|Änderung|Änderungen} nötig",
  noneNear: "keine Werte der {count} ähnlichsten Zeilen am Ziel erreichen das Ziel",
  optimalGrid: "unter bis zu {values} Werten je Merkmal gibt es keinen Plan mit weniger Änderungen",
  leastGrid:
    "unter bis zu {values} Werten je Merkmal gibt es keinen Plan mit weniger Änderungen, und keiner mit ebenso wenigen verändert weniger",
  cheapestGrid: "unter bis zu {values} Werten je Merkmal gibt es keinen Plan mit geringeren Kosten",
  slightestGrid: "unter bis zu {values} Werten je Merkmal verändert kein Plan weniger",
  atLeastGrid:
    "mit bis zu {values} Werten je Merkmal {edits|ist|sind} mindestens {edits} {edits|Änderung|Änderungen} nötig",
  noneGrid: "keine von bis zu {values} Werten je Merkmal erreichen das Ziel",
  proofDomain: "{feature} von {from} bis {to}",
  proofDomains: "{claim} (unter {domains})",
  optimalModel: "es gibt keinen Plan mit weniger Änderungen, welche zulässigen Werte man auch wählt",
  cheapestReferences:
    "es gibt keinen Plan mit geringeren Kosten, der seine Werte von einem der {count} durchsuchten Beispiele nimmt",
  cheapestReference: "es gibt keinen Plan mit geringeren Kosten, der seine Werte von diesem Beispiel nimmt",
  cheapestProposal:
    "es gibt keinen Plan mit geringeren Kosten, der seine Werte vom Kontrafaktual der Zeile nimmt",
  cheapestModel: "es gibt keinen Plan mit geringeren Kosten, welche zulässigen Werte man auch wählt",
  atLeastReferences:
    "mit Werten der {count} durchsuchten Beispiele {edits|ist|sind} mindestens {edits} {edits|Änderung|Änderungen} nötig",
  atLeastReference:
    "mit Werten dieses Beispiels {edits|ist|sind} mindestens {edits} {edits|Änderung|Änderungen} nötig",
  atLeastProposal:
    "mit Werten des Kontrafaktuals der Zeile {edits|ist|sind} mindestens {edits} {edits|Änderung|Änderungen} nötig",
  atLeastModel:
    "mindestens {edits} {edits|Änderung ist|Änderungen sind} nötig, welche zulässigen Werte man auch wählt",
  noneReferences:
    "kein Plan, der seine Werte von einem der {count} durchsuchten Beispiele nimmt, erreicht das Ziel",
  noneReference: "kein Plan, der seine Werte von diesem Beispiel nimmt, erreicht das Ziel",
  noneProposal: "kein Plan, der seine Werte vom Kontrafaktual der Zeile nimmt, erreicht das Ziel",
  noneModel: "keine zulässigen Werte erreichen das Ziel",
  goalClass: "Jede Zeile soll die Klasse {classes} erhalten.",
  goalNot: "Jede Zeile soll eine andere Klasse als {classes} erhalten.",
  goalContest:
    "Scores sind der Abstand dazu: der größte Score einer gewünschten Klasse minus der größte der übrigen; über 0 ist das Ziel erreicht.",
  goalRange: "Für jede Zeile soll der Score {output} im Bereich {range} liegen.",
  goalMargin: "Der Score soll um {margin} jenseits der Grenze liegen.",
  goalGroup: "Gemeinsam sollen die {on} der Zeilen {level} des Weges zu denen der Beispiele zurücklegen.",
  reason: "{feature}: {value}",
  reasonAgainst: "{feature}: {value}, zum Vergleich {other}",
  reasonTypical:
    "{feature}: {value}; üblicherweise {other} in ähnlichen Fällen mit dem angestrebten Ergebnis",
  notes: deNotes,
  words: deWords,
  papers: dePapers,
  card: deCard,
  messages: deMessages,
  loans: deLoans,
};
