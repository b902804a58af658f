import type { NoteCode } from "../../src/data/notes.ts";

/** What is told of the data, the model and the goal, in German. */
export const deNotes: Readonly<Record<NoteCode, string>> = {
  leakAlways:
    "{feature} verrät {label} in jeder Zeile; ist es das Ergebnis unter anderem Namen oder erst danach bekannt, lassen Sie die Spalte weg (--exclude {feature}).",
  leakAuc:
    "{feature} allein sagt {label} in zurückgehaltenen Zeilen mit einer AUC von {auc} voraus; ist es das Ergebnis unter anderem Namen oder erst danach bekannt, lassen Sie die Spalte weg (--exclude {feature}).",
  levelLeftOut:
    "{feature}: {level} hat keine eigene Eingabe und gilt als die Stufe, die die Kodierung des Modells weglässt.",
  levelUnknown:
    "{feature} hat in {cells} {count|eine Stufe|Stufen}, die unter den Eingaben des Modells ({known}) {count|fehlt|fehlen}; das Modell liest sie als keine davon. Berichtigen Sie die Zellen, sagen Sie, was diese Stufen für das Modell sind (options.encoding), oder lassen Sie diese Zeilen weg.",
  levelsByPlace:
    "{feature} ist für das Modell eine Kategorie, aber seine Datei nennt die Kategorien nicht: Die Stufen gelten in der Reihenfolge ihrer Texte ({codes}). Wurde das Modell auch mit anderen trainiert, nennen Sie alle in dieser Reihenfolge in einem Schema (options.schema).",
  staleDerived:
    "{feature} ist in {cells} nicht, was die Formel ergibt, und wird neu berechnet; berichtigen Sie die Zellen oder `derived` von {feature}.",
  staleCell: "{row} ({value}, nach der Formel {computed})",
  staleGap: "{row} ({value}, nach der Formel fehlend)",
  cell: "{row} ({value})",
  row: "Zeile {row}",
  moreRows: "und {count} {count|weitere Zeile|weiteren Zeilen}",
  more: "und {count} weitere",
  merged:
    "{columns} wurden zu einem Merkmal {feature}; sollen sie getrennt bleiben, führen Sie sie in options.schema als Merkmale auf.",
  apart:
    "{columns} gelten als eigene Merkmale, weil manche Zeilen in keiner davon eine 1 haben; sind sie Stufen eines Merkmals, führen Sie {feature} in options.schema mit diesen Stufen und einer Stufe „(other)“ auf.",
  amounts: "{name} wird als Zahlen gelesen: {written} ist {value}, und so weiter.",
  readAs: "Gelesen als {features}; options.saveSchema schreibt dies zum Bearbeiten.",
  fewRows:
    "Was aus Zahlen werden darf, ist nur aus {count} {count|Zeile|Zeilen} erraten, und Pläne bleiben darin; geben Sie frühere Zeilen an (options.references) oder `min` und `max` der Merkmale (options.constraints).",
  featureLevels: "{name} ({count} {count|Stufe|Stufen})",
  featureNumeric: "{name} (Zahl)",
  featureInteger: "{name} (ganze Zahl)",
  featureBoolean: "{name} (ja/nein)",
  featureOrdinal: "{name} (geordnet)",
  featureCategorical: "{name} (Stufen)",
  leftOut: "{name} bleibt weg: {why}.",
  unread:
    "{names} {count|ist keine Eingabe|sind keine Eingaben} des Modells und {count|bleibt|bleiben} in jedem Plan, wie {count|es ist|sie sind}; options.exclude lässt {count|es|sie} weg.",
  lackedByRows: "die zu erklärenden Zeilen haben sie nicht",
  noValue: "die Spalte hat keinen einzigen Wert",
  looksLikeId:
    "die Spalte sieht nach einer Kennung oder einem Code aus, nicht nach einer Größe; geben Sie ihre Art an, um sie zu verwenden",
  looksLikeDate:
    "die Spalte sieht nach Datum oder Uhrzeit aus; options.dateParts {name} liest sie als Zahlen",
  looksLikeOtherDate:
    "die Spalte sieht nach Datum oder Uhrzeit aus; als 2024-03-31 oder 2024-03-31 14:05 geschrieben, liest options.dateParts ihre Teile als Zahlen",
  ownText: "jede Zeile hat einen eigenen Text; geben Sie die Art der Spalte an, um sie zu verwenden",
  freeText: "die Spalte ist Text mit {count} verschiedenen Werten",
  freeTextOfNumbers:
    "die Spalte ist Text mit {count} verschiedenen Werten, obwohl fast alle Zahlen sind: {why}",
  frozenId:
    "{name} benennt Zeilen, statt sie zu beschreiben ({example}, …): Die Spalte bleibt dem Modell, ist aber gesperrt; das Schema kann das ändern.",
  frozenDate:
    "{name} ist ein Datum oder eine Uhrzeit ({example}, …): Das Modell liest die Spalte, sie ist aber gesperrt; das Schema kann das ändern.",
  dateParts: "{name} wird als {columns} gelesen; diese sind gesperrt, das Schema kann das ändern.",
  frozenText:
    "{name} ist freier Text ({example}, …): Das Modell liest die Spalte, sie ist aber gesperrt; das Schema kann das ändern.",
  protected: "{name} sieht nach einem geschützten Merkmal aus und ist gesperrt; das Schema kann das ändern.",
  sentinels:
    "{name} hat {codes} in {rows} {rows|Zeile|Zeilen} neben Werten von {low} bis {high}: Das gilt als Code für einen fehlenden Wert, keine Änderung führt dorthin oder von dort weg; „missing“ im Schema ändert das, und --missing={typed} macht Lücken daraus.",
  readAsText: "{name} wird als Text gelesen: {why}.",
  decimalComma: "{cell} hat ein Dezimalkomma; lesen Sie die Datei mit decimalComma (--decimal-comma)",
  eitherComma:
    "{cell} ist {thousands} mit einem Komma zwischen Tausendern oder {decimal} mit einem Dezimalkomma; schreiben Sie die Tausender ohne, oder lesen Sie die Datei mit decimalComma (--decimal-comma)",
  pointThousands:
    "{cell} hat Punkte zwischen den Tausendern; schreiben Sie solche Zahlen ohne, oder lesen Sie die Datei mit decimalComma (--decimal-comma)",
  someNoNumbers:
    "{count} der {all} Werte {count|ist keine Zahl|sind keine Zahlen}, z. B. {cells}; berichtigen Sie {count|ihn oder erklären Sie ihn zu einem fehlenden|diese oder erklären Sie sie zu fehlenden} (options.missing)",
  someNoAmounts:
    "die Werte sind Beträge wie {amount}, aber {count} von {all} {count|ist keiner|sind keine}, z. B. {cells}; berichtigen Sie {count|ihn oder erklären Sie ihn zu einem fehlenden|diese oder erklären Sie sie zu fehlenden} (options.missing), damit die übrigen als Zahlen gelesen werden",
  unitBehind:
    "die Werte sind Zahlen, hinter denen {unit} steht, z. B. {cell}; lassen Sie das weg, damit sie als Zahlen gelesen werden",
  twinLevels: "{name} hat Stufen, die fast gleich sind: {one} und {other}.",
  twinClasses: "Die Ergebnisse {one} und {other} sind zwei Klassen, obwohl fast gleich.",
  repeatedIds:
    "{name} hat in {count} {count|Zeile|Zeilen} die Kennung einer früheren Zeile ({example}, …): Eine Kennung steht für alle ihre Zeilen; nennen Sie mit options.id eine Spalte mit eigenen Kennungen.",
  manyNumbers:
    "{label} hat {count} verschiedene Zahlen, und jede ist eine eigene Klasse; fassen Sie sie vorher zu wenigen Bereichen zusammen, oder bringen Sie ein Modell mit, das die Zahl vorhersagt (options.model).",
  notRead: "{names} {count|wird|werden} nicht gelesen: Das Schema führt sie nicht auf.",
  trainedSchema: "Das Schema ist das, mit dem {file} trainiert wurde.",
  targetTaken:
    "Kein Ziel ist angegeben; darum gilt die letzte der {count} Klassen {classes}: {class}. Eine andere nennt options.target.",
  emptyRows:
    "{file}: {count} von {all} Zeilen sind leer und werden nicht gelesen; nennen Sie die Spalte mit den Kennungen (options.id), um zu sagen, wessen sie sind.",
  othersUnexplained: "{count} von {all} Zeilen der Daten stehen nicht in {file} und werden nicht erklärt.",
  noCounterfactual: "{file} hat kein Kontrafaktual für {rows}.",
  illegal: "Kontrafaktual {row} verletzt die Bedingungen: {problems}.",
  illegalOf: "Kontrafaktual {row} von {owner} verletzt die Bedingungen: {problems}.",
  moreIllegal:
    "{count} {count|weiteres Kontrafaktual verletzt|weitere Kontrafaktuale verletzen} die Bedingungen.",
};
