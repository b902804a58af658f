import type { enChecks } from "./en-checks.ts";

/** What the studio says of a run that was opened, and of what was written from it, in German. */
export const deChecks: Readonly<Record<keyof typeof enChecks, string>> = {
  checking: "{file} wird geprüft …",
  checkingRun: "Der Lauf wird geprüft …",
  whatWasChecked: "Was beim Öffnen geprüft wurde",
  verdict_holds: "Soweit es sich hier prüfen lässt, ist dieser Lauf so, wie er geschrieben wurde.",
  verdict_other: "Dieser Lauf gehört zu einer anderen Tabelle oder einem anderen Modell als denen daneben.",
  verdict_changed:
    "Dieser Lauf stimmt nicht. Verlassen Sie sich nicht auf ihn: Er wurde nach dem Schreiben verändert.",
  check_form: "Es ist ein Lauf dieses Programms.",
  check_content: "Der Inhalt ist so, wie er geschrieben wurde.",
  check_totals: "Seine Summen sind die seiner Zeilen.",
  check_rows: "Jede Zeile stimmt mit sich und den Bedingungen überein.",
  check_table: "Die Tabelle ist die, mit der er entstand.",
  check_cells: "Jede Zeile steht mit diesen Werten in der Tabelle.",
  check_model: "Das Modell ist das, mit dem er entstand.",
  check_scores: "Das Modell bewertet Zeilen und Pläne so, wie er es sagt.",
  check_changes: "Pläne ändern so viel, wie er sagt.",
  check_reasons: "Gründe wiegen so viel, wie er sagt.",
  check_quality: "Das Modell hat so oft recht, wie er sagt.",
  check_question: "Die Frage ist die, die gestellt wurde.",
  check_groups: "Gruppen haben die Zahlen und Abstände, die er nennt.",
  check_certificate: "Das Zertifikat beweist seine Pläne.",
  checkYes: "stimmt",
  checkNo: "stimmt nicht",
  checkOpen: "nicht geprüft",
  checkTakes: "Dazu braucht es {why}.",
  checkAgain: "Noch einmal prüfen",
  paper_letter: "{file}: der Brief, den dieser Lauf ergibt, Wort für Wort.",
  paper_report: "{file}: der Bericht, den dieser Lauf ergibt, Wort für Wort.",
  paper_card: "{file}: das Methodenblatt, das dieser Lauf ergibt, Wort für Wort.",
  paperNot_letter: "{file} ist nicht der Brief, den dieser Lauf ergibt",
  paperNot_report: "{file} ist nicht der Bericht, den dieser Lauf ergibt",
  paperNot_card: "{file} ist nicht das Methodenblatt, das dieser Lauf ergibt",
};

/** What the library says does not match, in German. */
export const deFaults: Readonly<Record<string, string>> = {
  "{file} is not opened, because it is not as it was written: {why}.":
    "{file} wird nicht geöffnet, denn die Datei ist nicht so, wie sie geschrieben wurde: {why}.",
  "{file} is neither a letter nor a report of this program; choose the file as it was written.":
    "{file} ist weder ein Brief noch ein Bericht dieses Programms; wählen Sie die Datei so, wie sie geschrieben wurde.",
  "{file} is checked against the run it was written from; open that run first.":
    "{file} wird mit dem Lauf verglichen, aus dem die Datei entstand; öffnen Sie zuerst diesen Lauf.",
  "{file} does not tell which values its inputs take; bring a table, if only of a few rows.":
    "{file} sagt nicht, welche Werte seine Eingaben annehmen; bringen Sie eine Tabelle mit, und sei es mit wenigen Zeilen.",
  "it was changed after it was written: its digest is another":
    "Er wurde nach dem Schreiben verändert: Seine Prüfsumme ist eine andere",
  "its run hash is none": "Seine Kennung ist keine",
  "it is not an explanation of version 1 or 2": "Es ist keine Erklärung der Version 1 oder 2",
  "it is damaged ({why})": "Er ist beschädigt ({why})",
  "the table is another: it has {rows} rows and another digest than the {own} rows explained with":
    "Die Tabelle ist eine andere: Sie hat {rows} Zeilen und eine andere Prüfsumme als die {own} Zeilen, mit denen er entstand",
  "the model is another than the one explained: its digest differs":
    "Das Modell ist ein anderes als das erklärte: Seine Prüfsumme ist eine andere",
  "it is refused: {fault}": "Es wird zurückgewiesen: {fault}",
  "{name} or its plan is another in the certificate": "{name} oder der Plan ist im Zertifikat anders",
  "it certifies {name}, who is not in the explanation":
    "Es bescheinigt {name}; diese Person ist nicht im Lauf",
  "its code belongs to no row of the explanation on its date: the code, date, sender, row or result is a different one":
    "Seine Kennung gehört an diesem Tag zu keiner Zeile des Laufs: Kennung, Datum, Absender, Zeile oder Ergebnis ist anders",
  "it says {given} where the explanation gives {written}": "Es steht dort {given}, der Lauf ergibt {written}",
  "{name}: it is not in the table": "{name} ist nicht in der Tabelle",
  "{name}: the model scores it {score}, not {told}":
    "{name}: Das Modell bewertet die Zeile mit {score}, nicht {told}",
  "{name}: the model scores its plan {score}, not {told}":
    "{name}: Das Modell bewertet den Plan mit {score}, nicht {told}",
  "and {count} more rows": "und {count} weitere Zeilen",
  "{name}: the reason {feature} weighs {made}, not {told}":
    "{name}: Der Grund {feature} wiegt {made}, nicht {told}",
  "{name}: a plan changes {made}, not {told}": "{name}: Ein Plan ändert {made}, nicht {told}",
  "it compares other groups than were asked for":
    "Er vergleicht andere Gruppen als die, nach denen gefragt war",
  "the groups by {name} have other figures": "Die Gruppen nach {name} haben andere Zahlen",
  "the gaps between groups are others": "Die Abstände zwischen den Gruppen sind andere",
  "the outputs of the model have other names": "Die Ausgaben des Modells heißen anders",
  "{name}: its plan does not reach the goal": "{name}: Der Plan erreicht das Ziel nicht",
  "the model is right another share of the time": "Das Modell hat anders oft recht",
  "the model and the table": "das Modell und die Tabelle",
  "the model and the table with its outcome": "das Modell und die Tabelle mit ihrem Ergebnis",
  "the quality of the model in it": "die Güte des Modells in der Datei",
  "the references its reasons are measured against": "die Referenzen, an denen seine Gründe gemessen sind",
  "the same request answered again: options, seed, version and run hash say what was asked, and are in no plan":
    "dieselbe Anfrage noch einmal: Optionen, Startwert, Version und Kennung sagen, was gefragt war, und stehen in keinem Plan",
  "the table with its ids": "die Tabelle mit den Namen ihrer Zeilen",
  "the table": "die Tabelle",
  "the model": "das Modell",
  "the certificate and the model's file": "das Zertifikat und die Datei des Modells",
  "a digest in it, which older versions did not write":
    "eine Prüfsumme in der Datei, die ältere Versionen nicht schrieben",
  "a digest of the table in it": "eine Prüfsumme der Tabelle in der Datei",
  "a digest of the model in it": "eine Prüfsumme des Modells in der Datei",
};
