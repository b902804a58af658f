/** What the library says most often where files do not fit, in German: templates of its own sentences. */
export const deErrors: Readonly<Record<string, string>> = {
  // Tables
  "csv: line {line} has {cells} {word} where the header has {count}; quote cells that contain the delimiter.":
    "CSV: Zeile {line} hat {cells} {cells|Zelle|Zellen}, die Kopfzeile hat {count}; setzen Sie Zellen, in denen das Trennzeichen vorkommt, in Anführungszeichen.",
  "csv: line {line} has {cells} {word} where the header has 1, which is {name}; remove lines above the header.":
    "CSV: Zeile {line} hat {cells} {cells|Zelle|Zellen}, die Kopfzeile nur eine, nämlich {name}; entfernen Sie Zeilen über der Kopfzeile.",
  "csv: the file is empty; it needs a header line and rows.":
    "CSV: Die Datei ist leer; sie braucht eine Kopfzeile und Zeilen.",
  "csv: there is a header but no row; give at least one.":
    "CSV: Es gibt eine Kopfzeile, aber keine Zeile; geben Sie mindestens eine an.",
  "csv: line {line} opens a quote that is never closed; close it, or write a quote inside a cell twice.":
    "CSV: Zeile {line} öffnet ein Anführungszeichen, das nie geschlossen wird; schließen Sie es, oder schreiben Sie ein Anführungszeichen in einer Zelle doppelt.",
  "csv: line {line} has text after a closing quote.":
    "CSV: In Zeile {line} steht Text hinter einem schließenden Anführungszeichen.",
  "csv: line {line} repeats the header, as files do that were put together; remove the line.":
    "CSV: Zeile {line} wiederholt die Kopfzeile, wie in zusammengefügten Dateien; entfernen Sie die Zeile.",
  "csv: line {line} has a value behind the last column that has a name; give it one.":
    "CSV: Zeile {line} hat einen Wert hinter der letzten Spalte mit Namen; geben Sie der Spalte einen.",
  "csv: line {line} contains a NUL character: this is not a text table; save it as UTF-8.":
    "CSV: Zeile {line} enthält ein NUL-Zeichen: Das ist keine Texttabelle; speichern Sie sie als UTF-8.",
  "table: column {column} is called {name} like an earlier one; give every column its own name.":
    "Tabelle: Spalte {column} heißt {name} wie eine frühere; geben Sie jeder Spalte einen eigenen Namen.",
  "table: column {column} has no name; give every column its own name.":
    "Tabelle: Spalte {column} hat keinen Namen; geben Sie jeder Spalte einen eigenen Namen.",
  "table: column {column} is called {name} like an earlier one; give every column its own name, or put a header above, if this line is a row.":
    "Tabelle: Spalte {column} heißt {name} wie eine frühere; geben Sie jeder Spalte einen eigenen Namen, oder setzen Sie eine Kopfzeile darüber, falls diese Zeile schon Daten hat.",
  "table: column {column} has no name; give every column its own name, or remove lines above the header ({name} may be one).":
    "Tabelle: Spalte {column} hat keinen Namen; geben Sie jeder Spalte einen eigenen Namen, oder entfernen Sie Zeilen über der Kopfzeile ({name} ist vielleicht eine).",
  "{file}: this is a zip or spreadsheet file; save it as CSV or Parquet.":
    "{file} ist eine ZIP-Datei oder Tabellenkalkulation; speichern Sie sie als CSV oder Parquet.",
  "{file}: this is a web page or XML; save the table itself as CSV.":
    "{file} ist eine Webseite oder XML; speichern Sie die Tabelle selbst als CSV.",
  "{file}: the bytes are not {coding} text; save the file as UTF-8.":
    "{file} ist kein Text in {coding}; speichern Sie die Datei als UTF-8.",
  "{file}: the name says Parquet, but the first bytes do not.":
    "{file} heißt wie eine Parquet-Datei, ist aber dem Inhalt nach keine.",
  "{file}: the file cannot be read ({why}): it is damaged or cut short; write it again.":
    "{file} lässt sich nicht lesen: Die Datei ist beschädigt oder abgeschnitten; schreiben Sie sie neu.",
  "{file}: the file is empty; export the table again.":
    "{file} ist leer; exportieren Sie die Tabelle noch einmal.",
  "{file}: line {line} is not JSON: {why}": "{file}: Zeile {line} ist kein JSON.",
  "{file}: there is no row; give one object per line or an array of objects.":
    "{file} hat keine Zeile; schreiben Sie ein Objekt je Zeile oder eine Liste von Objekten.",
  "{file}: the rows have no column; give {form}.":
    "{file}: Die Zeilen haben keine Spalte; schreiben Sie {form}.",

  // Outcomes
  "table: the label {name} has one value alone, {value}; a classifier needs from 2 to 100: choose the column with the outcome (“Known outcome”), and rows of both outcomes.":
    "Die Spalte {name} hat nur einen Wert, {value}; zum Lernen braucht es 2 bis 100: Wählen Sie die Spalte mit dem bekannten Ausgang und Zeilen mit beiden Ausgängen.",
  "table: the label {name} has {count} different values; a classifier needs from 2 to 100: choose the column with the outcome (“Known outcome”).":
    "Die Spalte {name} hat {count} verschiedene Werte; zum Lernen braucht es 2 bis 100: Wählen Sie die Spalte mit dem bekannten Ausgang.",
  "table: row {row} has no value of {name}; every row to train on needs its outcome: fill it in, or leave such rows out.":
    "Zeile {row} der Tabelle hat kein {name}; jede Zeile, aus der gelernt wird, braucht ihren Ausgang: Füllen Sie ihn aus, oder lassen Sie solche Zeilen weg.",
  "“Model” {model} is trained on the table, so it needs “Known outcome”, the column with the known outcome.":
    "Das Modell {model} wird an der Tabelle trainiert und braucht dazu die Spalte mit dem bekannten Ausgang.",

  // Models
  "{file}: {name} begins with {head}, which is not a format known here; readable are {formats}; other models work through {others}.":
    "{file} beginnt mit {head}; dieses Format ist hier nicht bekannt. Lesbar sind {formats}.",
  "{file}: the file is empty.": "{file} ist leer.",
  "{file}: this is not complete JSON ({why}); the file is damaged or cut short: save it again.":
    "{file} ist kein vollständiges JSON; die Datei ist beschädigt oder abgeschnitten: Speichern Sie sie noch einmal.",
  "{file}: {part} has no {name}; the file is damaged or of another kind: save it again.":
    "{file}: In {part} fehlt {name}; die Datei ist beschädigt oder von anderer Art: Speichern Sie sie noch einmal.",
  "{file}: the header is followed by trees, but no line {line} ends them: the file is cut short; the file is damaged or of another kind: save it again.":
    "{file}: Auf den Kopf folgen Bäume, aber keine Zeile {line} schließt sie ab: Die Datei ist abgeschnitten; speichern Sie sie noch einmal.",
  "{file}: this is a list, as {wrong} writes, which leaves out what scoring needs; save the model with {right}.":
    "{file} ist eine Liste, wie {wrong} sie schreibt; darin fehlt, was zum Bewerten nötig ist. Speichern Sie das Modell mit {right}.",
  "saved model: model has no {name}; save the model again.":
    "Die Datei ist kein gespeichertes Modell: {name} fehlt; speichern Sie das Modell noch einmal.",
  "binding: the model's inputs {names} are not in the table; rename the columns, or say by an encoding file how the inputs are made of them, one entry per input in the model's order: {example}.\n  model inputs: {inputs}\n  table columns: {columns}":
    "Die Eingaben {names} des Modells sind nicht in der Tabelle; ordnen Sie ihnen hier Spalten zu, oder laden Sie eine Kodierungsdatei.\n  Eingaben des Modells: {inputs}\n  Spalten der Tabelle: {columns}",
  "binding: the model's input {name} is not in the table; rename the columns, or say by an encoding file how the inputs are made of them, one entry per input in the model's order: {example}.\n  model inputs: {inputs}\n  table columns: {columns}":
    "Die Eingabe {name} des Modells ist nicht in der Tabelle; ordnen Sie ihr hier eine Spalte zu, oder laden Sie eine Kodierungsdatei.\n  Eingaben des Modells: {inputs}\n  Spalten der Tabelle: {columns}",
  "binding: the model reads {names}, which {are} given as {roles}; take {it} off there, and use {freeze} if {they} must stay as {unchanged}.":
    "Das Modell liest {names}, was hier als Ausgang oder Kennung gilt oder weggelassen ist; nehmen Sie es dort heraus, und sperren Sie es, wenn es bleiben muss, wie es ist.",

  "binding: inputs {names} of the model have no column yet; choose one for each.":
    "Die Eingaben {names} des Modells haben noch keine Spalte; wählen Sie für jede eine.",
  "binding: input {names} of the model has no column yet; choose one for each.":
    "Die Eingabe {names} des Modells hat noch keine Spalte; wählen Sie eine.",
  "binding: {name} is text ({levels}), but a number to the model, which does not say which level is which; give its {codes} in an encoding file, or a schema that lists all levels in the order of their codes 0, 1, ….":
    "{name} ist Text ({levels}), für das Modell aber eine Zahl, und es sagt nicht, welche Stufe welche ist; sagen Sie es hier.",
  "binding: {name} is a number to the model, but {odd} is {no}, so the whole column is read as text; {remedy}, or give the levels {codes} in an encoding file.":
    "{name} ist für das Modell eine Zahl, aber {odd} ist keine, und so ist die ganze Spalte Text; berichtigen Sie solche Zellen, lesen Sie sie als fehlend, oder sagen Sie hier, welche Stufe welche Zahl ist.",
  "{owner}: the model reads {expected} columns, but the rows have {cols}; give the columns it was trained on, in order.":
    "Das Modell liest {expected} Spalten, die Zeilen haben {cols}; wählen Sie für jede Eingabe eine Spalte.",
  // Counterfactuals, runs, one person, goals
  "{file} is valid JSON, but not the explanation.json of a run (schema version 1 or 2).":
    "{file} ist gültiges JSON, aber nicht die explanation.json eines Laufs (Version 1 oder 2).",
  "{file} is not valid JSON; choose an explanation.json of a run.":
    "{file} ist kein gültiges JSON; wählen Sie die explanation.json eines Laufs.",
  "person: the row has {cells} {word} where the table has {count} columns; copy the header along with the row, or all cells.":
    "Die Zeile hat {cells} {cells|Zelle|Zellen}, die Tabelle {count} Spalten; kopieren Sie die Kopfzeile mit oder alle Zellen.",
  "person: this begins like JSON but is not; copy the whole object.":
    "Das beginnt wie JSON, ist aber keines; kopieren Sie das ganze Objekt.",
  "person: nothing of it is a feature of the data, such as {names}; copy the header along with the row.":
    "Nichts davon ist ein Merkmal der Daten wie etwa {names}; kopieren Sie die Kopfzeile mit.",
  "target: {text} is neither about a score, as {one} and {other} are, nor one of the classes {classes}; correct the name.":
    "{text} ist weder etwas über einen Score, wie {one} und {other}, noch eine der Klassen {classes}; berichtigen Sie den Namen.",
  "explain: every row reaches the target already; there is nothing to explain.":
    "Jede Zeile erreicht das Ziel schon; es gibt nichts zu erklären.",
  "Choose another target or other data.": "Wählen Sie ein anderes Ziel oder andere Daten.",
  "constraints: {name}: `min` must not exceed `max` ({max}), but it is {min}; swap them, or correct one.":
    "Bedingungen: Bei {name} liegt der kleinste Wert {min} über dem größten, {max}; tauschen Sie beide, oder berichtigen Sie einen.",
  "“Compare groups by (such as sex, age:25,45)”: there is no column {name}; the columns are {columns}.":
    "Gruppen vergleichen nach: Es gibt keine Spalte {name}; die Spalten sind {columns}.",

  // Letters that there are none of
  "letter: no letter for {name}: the goal is the group's, which refuses nobody; explain with the goal for each row (without “Share of the effect”).":
    "Für {name} gibt es keinen Brief: Das Ziel ist das der Gruppe, und die lehnt niemanden ab; wählen Sie als Ziel „jede Person erreicht es“.",
  "letter: no letter for {name}: the row has no score (status {status}); correct it and explain it again.":
    "Für {name} gibt es keinen Brief: Die Zeile hat keinen Score; berichtigen Sie sie, und starten Sie neu.",
  "letter: no letter for {name}: the search was cut short, so that what it found may not be all; explain the row again with more time or effort.":
    "Für {name} gibt es keinen Brief: Die Suche wurde vorzeitig beendet, und was sie fand, ist vielleicht nicht alles; starten Sie neu, mit mehr Zeit.",
  "letter: no letter for {name}: the row reaches the target already; nothing was refused.":
    "Für {name} gibt es keinen Brief: Das Ziel ist schon erreicht, nichts wurde abgelehnt.",
  "letter: no letter for {name}: the wording of {told} names no factor of the decision; say what it is.":
    "Für {name} gibt es keinen Brief: Die Begründung {told} nennt keinen Umstand der Entscheidung; sagen Sie, welcher es ist.",
  "letter: no letter for {name}: {features} looks like a protected attribute and is among the principal reasons, so that the decision may be unlawful; have the model reviewed, and decide the case without it.":
    "Für {name} gibt es keinen Brief: {features} sieht nach einem geschützten Merkmal aus und gehört zu den wichtigsten Gründen. Die Entscheidung ist darum vielleicht rechtswidrig: Lassen Sie das Modell prüfen, und entscheiden Sie den Fall ohne es.",
  "letter: no letter for {name}: {features} look like protected attributes and are among the principal reasons, so that the decision may be unlawful; have the model reviewed, and decide the case without it.":
    "Für {name} gibt es keinen Brief: {features} sehen nach geschützten Merkmalen aus und gehören zu den wichtigsten Gründen. Die Entscheidung ist darum vielleicht rechtswidrig: Lassen Sie das Modell prüfen, und entscheiden Sie den Fall ohne es.",
  "letter: no letter for {name}: the plan changes {features}, which nobody may be asked to change; freeze it and explain the row again.":
    "Für {name} gibt es keinen Brief: Der Plan ändert {features}, und das darf von niemandem verlangt werden; sperren Sie es bei den Merkmalen, und starten Sie neu.",
  "letter: no letter for {name}: no reasons are known, since no row of the table reaches the goal that the case could be compared with; give a table in which some do.":
    "Für {name} gibt es keinen Brief: Gründe sind nicht bekannt, denn keine Zeile der Tabelle erreicht das Ziel, mit der sich der Fall vergleichen ließe; nehmen Sie eine Tabelle, in der es welche gibt.",
  "letter: no letter for {name}: no reasons are known; explain it again without {option}.":
    "Für {name} gibt es keinen Brief: Gründe sind nicht bekannt; erklären Sie den Fall noch einmal mit Gründen.",
  "letter: no letter for {name}: no fact of the case weighs against the goal when it is compared with cases that reach it; have the model reviewed.":
    "Für {name} gibt es keinen Brief: Im Vergleich mit Fällen, die das Ziel erreichen, spricht kein Umstand des Falls dagegen; lassen Sie das Modell prüfen.",
  "letter: no letter for {name}: its reasons were measured against references that keep {held} as the constraints say, and cannot show whether that weighed; explain it again for the goal of each row, with {values} least or near, without options that choose among references (coupling, policy, value, prefer, stop, prune, reuse, capped, a total budget) and without counterfactuals of your own.":
    "Für {name} gibt es keinen Brief: Seine Gründe wurden an Beispielen gemessen, in denen {held} so bleibt, wie die Bedingungen es verlangen; ob das ins Gewicht fiel, zeigen sie nicht. Starten Sie neu mit dem Ziel „jede Person erreicht es“, ohne eigene Kontrafaktuale und mit den Voreinstellungen bei Zuordnung und Wahl der Änderungen.",
};
