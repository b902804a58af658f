import type { Papers } from "./en-papers.ts";

/** German words of the papers people sign or take home: the letter. */
export const dePapers: Papers = {
  months: "Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember",
  date: "{day}. {month} {year}",
  quoted: "„{text}“",
  and: "{list} und {last}",
  or: "{list} oder {last}",
  fromTo: "{from} bis {to}",

  // The letter
  letterTitle: "Die Entscheidung, ihre Gründe und was sie ändern könnte",
  letterAbout: "Fall",
  letterDate: "Datum",
  letterDecision: "Die Entscheidung",
  letterSought:
    "Angestrebt war das Ergebnis {outcome}. Die Bewertung der Daten durch das Modell führte nicht dazu.",
  letterClass: "{classes}",
  letterNot: "jedes andere als {classes}",
  letterRange: "„{output}“ mit einem Score, der {range} liegt",
  letterScore: "Der Score für „{output}“ war {before}. Er müsste {range} liegen.",
  letterContest:
    "Der Score für „{output}“ war {before}. Für dieses Ergebnis müsste er der höchste von allen {count} sein.",
  letterMargin:
    "Der höchste Score der angestrebten Ergebnisse, vermindert um den höchsten der anderen, war {before}. Er müsste über 0 liegen.",
  letterMore: "Verlangt war ein Abstand von mindestens {margin} darüber hinaus.",
  edge_above: "über {value}",
  edge_atLeast: "bei mindestens {value}",
  edge_below: "unter {value}",
  edge_atMost: "bei höchstens {value}",
  letterReasons: "{count|Der wichtigste Grund|Die wichtigsten Gründe}",
  letterReasonsNote:
    "{count|Diese Tatsache sprach|Diese Tatsachen sprachen} am stärksten gegen dieses Ergebnis{count||, die stärkste zuerst}:",
  letterTypical:
    "„Üblicherweise“ nennt den mittleren oder häufigsten Wert in den ähnlichsten Fällen, denen das Modell das angestrebte Ergebnis gibt.",
  letterCompared: "„Zum Vergleich“ nennt den Wert des Beispiels, mit dem der Fall verglichen wurde.",
  letterPlan: "Was das Ergebnis geändert hätte",
  letterPlanNote:
    "Mit {edits|dieser einen Änderung|diesen Änderungen}, alles Übrige wie bisher, hätte dasselbe Modell das angestrebte Ergebnis vergeben (Score {after}):",
  letterPlanMargin:
    "Mit {edits|dieser einen Änderung|diesen Änderungen}, alles Übrige wie bisher, hätte dasselbe Modell das angestrebte Ergebnis vergeben:",
  planUp: "{feature}: mindestens {from} (jetzt {now})",
  planDown: "{feature}: höchstens {from} (jetzt {now})",
  planBetween: "{feature}: zwischen {low} und {high} (jetzt {now})",
  planTo: "{feature}: {to} (jetzt {now})",
  planClear: "{feature}: ohne Angabe (jetzt {now})",
  letterRanges: "Jeder solche Wert hätte genügt{edits||, in jeder Zusammenstellung}; das ist bewiesen.",
  letterRangesTested: "Solche Werte hätten genügt, soweit sie probiert wurden.",
  letterFewest:
    "Es ist bewiesen, dass weniger Änderungen nicht genügt hätten, welche zulässigen Werte man auch wählt.",
  letterLeast: "Es ist bewiesen, dass keine kleinere einzelne Änderung auf zulässige Werte genügt hätte.",
  letterFewestLeast:
    "Es ist bewiesen, dass weniger Änderungen auf zulässige Werte nicht genügt hätten und {edits} zusammen kleinere Änderungen auch nicht.",
  letterSize:
    "Wie groß eine Änderung ist, wird daran gemessen, wie sehr sich Menschen in dieser Angabe gewöhnlich unterscheiden.",
  letterProof: "Was über andere Pläne bekannt ist: {proof}.",
  letterPermitted: "Zulässig ist hier: {domains}.",
  letterOthers: "Andere Wege",
  letterOthersNote: "Auch {count|dies|jeder dieser Wege} hätte genügt, anstelle des obigen:",
  letterOthersMore: "Es gibt {count} {count|weiteren Weg|weitere Wege}; Sie können danach fragen.",
  letterOthersAll: "Weitere Wege mit so wenigen Änderungen gibt es nicht.",
  letterNone:
    "Es wurde kein Plan gefunden: Mit den Werten, die sich ändern dürfen, wurde das angestrebte Ergebnis nicht erreicht.",
  letterNoneProven: "Es ist bewiesen, dass keine zulässigen Werte zum angestrebten Ergebnis führen.",
  letterLimits: "Was dieses Schreiben nicht verspricht",
  letterLimitPromise:
    "Ein Plan ist keine Zusage. Das Modell kann geändert werden, die Daten können neuer sein, oder ein Mensch kann anders entscheiden.",
  letterLimitModel:
    "Dieses Schreiben sagt, wie dieses Modell antwortet, nicht was sicher eintritt: Ändert sich im Leben ein Wert, können sich andere mitändern.",
  letterSurvival:
    "Von {models} Modellen, die mit anderen Stichproben der Daten neu trainiert wurden, haben etwa {tenths} von 10 diesen Plan angenommen ({low} bis {high}).",
  letterSturdy: "Ein Plan, den mehr Modelle annehmen",
  letterSturdyNote:
    "Mit {edits|dieser einen Änderung|diesen Änderungen} anstelle des Obigen {models|hätte|hätten} auch {models} {models|weiteres Modell|weitere Modelle} das angestrebte Ergebnis vergeben:",
  letterSign: "Unterschrift",
  letterSigner: "Name und Stelle",
  letterCode: "Code zur Prüfung dieses Schreibens",
  letterFact: "{name}: {fact}.",
  letterOptions: "Alle Optionen",
  letterUnset: "nicht gesetzt: {names}",
  letterCodeNote: "Er passt nur zu diesem Fall, diesem Ergebnis und diesem Datum.",

  // What an auditor signs
  auditTitle: "Zum Prüfen und Unterschreiben",
  auditDay: "Datum des Berichts",
  auditCode: "Code zur Prüfung dieses Berichts",
  auditTable: "Tabelle",
  auditTableFact: "{rows} {rows|Zeile|Zeilen}, Prüfsumme {digest}",
  auditModel: "Modell",
  auditModelFact: "{model}, Prüfsumme {digest}",
  auditQuality: "Güte des Modells",
  auditQualityFact: "{share} von {rows} Zeilen der Tabelle in ihre bekannte Klasse eingeordnet",
  auditQualityAuc:
    "{share} von {rows} Zeilen der Tabelle in ihre bekannte Klasse eingeordnet; Fläche unter der ROC-Kurve {auc}",
  auditQualityTrained:
    "{quality}. Das Modell wurde mit genau diesen Zeilen trainiert; über andere sagt das wenig",
  auditUnknown: "nicht bekannt, da die Tabelle kein Ergebnis nennt oder das Modell nur befragt wird",
  auditDigest: "Prüfsumme aller Inhalte",
  auditDigestNone: "keine: von einer älteren Version geschrieben",
  auditScopes: "Was bewiesen ist",
  auditScope: "{count} {count|Zeile|Zeilen}: {proof}",
  auditScopeNone: "{count} {count|Zeile|Zeilen}: nichts ist bewiesen",
  auditCheck:
    "cola verify sagt mit dieser Datei und der Erklärung, aus der sie geschrieben ist, ob ein Wort geändert wurde.",
  auditDate: "Ort und Datum",

  // Groups
  groupsTitle: "Auswege im Vergleich der Gruppen",
  groupsNote:
    "Wonach Menschen verglichen werden, steht nie in einem Plan. In Klammern 95-%-Intervalle: bei Anteilen nach Wilson, bei Mittelwerten aus {draws} Ziehungen, wo es mindestens 5 Pläne gibt. Zeilen, die nicht durchsucht werden konnten, fehlen.",
  groupsUnknown: "{count} {count|Zeile ist|Zeilen sind} in keiner Gruppe, weil der Wert fehlt.",
  groupsBy: "Nach {attribute}",
  groupsGroup: "Gruppe",
  groupsRows: "Zeilen",
  groups_within1: "Plan mit 1 Änderung",
  groups_within2: "mit bis zu 2",
  groups_within3: "mit bis zu 3",
  groups_none: "Bewiesen ohne Plan",
  groups_edits: "Änderungen im Mittel",
  groups_change: "Veränderung im Mittel",
  groupsFeatures: "Pläne ändern",
  groupsGaps: "Größte Abstände",
  groupsGapsNote:
    "p: wie oft sich zufällig gezogene Gruppen dieser Größen ebenso stark unterscheiden; dann berichtigt um alle betrachteten Abstände (Holm).",
  groupsMeasure: "Größe",
  groupsMost: "Am meisten",
  groupsLeast: "Am wenigsten",
  groupsDifference: "Abstand",
  groupsP: "p",
  groupsHolm: "berichtigt",
  ruleUnder: "von {from} bis unter {to}",
  ruleUpTo: "von {from} bis {to}",
  groupsRules: "Regeln für ganze Gruppen",
  groupsRulesNote:
    "Eine Regel für alle, gefunden von AReS und GLOBE-CE; der Anteil der geprüften Zeilen, die eine der Regeln zum Ziel führt. Eine Regel von GLOBE-CE ist eine Richtung: Ihre Zahlen sind ein Schritt, und jede Zeile geht so viele Schritte oder einen so kleinen Teil davon, wie sie braucht.",
  groupsCoverage: "Anteil",
  groupsMethod: "Verfahren",
  groupsRule: "Regeln",
  groupsConfined: "Wer überhaupt keinen Plan hat",
  groupsConfinedNote:
    "Bewiesen: Wer die Bedingung erfüllt und zu allem Angaben hat, erreicht das Ziel mit keinen zulässigen Werten der Merkmale, die sich ändern dürfen.",
  groupsConfinedNone:
    "Unter den betrachteten Bedingungen aus einem oder zwei gesperrten Merkmalen fand sich keine solche.",
  groupsConfinedUnknown: "Nicht bekannt: Das Modell hat keine Schranken, die so etwas beweisen.",
  groupsConfinedRows: "{where}: {count} {count|Zeile|Zeilen} der Tabelle",
  groupsRange: "{value} ({from} bis {to})",
};
