import type { CardWords } from "./en-card.ts";

/** German words of the method card. */
export const deCard: CardWords = {
  title: "Methodenblatt",
  lead: "Pläne mit wenigen Änderungen zu den Entscheidungen eines Modells: was das Verfahren tut, wo es endet und was dieser Lauf davon zeigt.",

  identity: "Wovon dieses Blatt handelt",
  method: "Verfahren",
  methodFact: "COLA, Counterfactuals with Limited Actions (You, Bian, Cao, ICLR 2026); {program}",
  date: "Datum des Blattes",

  purpose: "Zweck und Verwendung",
  purposeWhat:
    "Das Modell gibt es schon, und es wird nicht verändert. Das Verfahren sagt, welche wenigen Änderungen einer Zeile dieses Modell zum Ziel geführt hätten, wie weit jeder Wert gehen darf und welche Werte gegen das Ziel sprachen.",
  purposeFor:
    "Es ist dafür gemacht, Menschen zu sagen, worauf eine Entscheidung beruht und was sie geändert hätte, ein Modell zu prüfen und Auswege zwischen Gruppen zu vergleichen.",
  purposeNot:
    "Es ist nicht dafür gemacht, Entscheidungen zu treffen, zu sagen, was eine Änderung im Leben bewirkt, oder zu zeigen, dass ein Modell gerecht ist.",

  data: "Daten",
  explained: "Erklärte Zeilen",
  explainedFact: "{rows}, davon {whole} ohne fehlende Werte",
  features: "Merkmale",
  featuresFact: "{all}: {free} dürfen sich ändern, {locked} gesperrt, {derived} aus anderen berechnet",
  protected: "Geschützte Merkmale, dem Namen nach",
  protectedNone: "keine; eine Spalte, die unter anderem Namen für eines steht, fällt nicht auf",
  protectedLocked: "{feature}: gesperrt, in keinem Plan",
  protectedFree: "{feature}: DARF SICH ÄNDERN, sodass Pläne es verlangen können",
  ends: "Durchsuchte Werte",

  approach: "Vorgehen",
  steps:
    "Jede Zeile wird mit Beispielen verglichen, die das Ziel erreichen. Wie viel jedes Merkmal vom Unterschied im Score trägt, sagt sein Shapley-Wert gegen diese Beispiele (p-SHAP). Dann wird der Plan gesucht, und das Modell bewertet ihn noch einmal, bevor ihn jemand sieht.",
  stepsGroup:
    "Die Zeilen zusammen sollen sich auf Beispiele zubewegen, die das Ziel erreichen. Wie viel jedes Merkmal vom Unterschied im Score trägt, sagt sein Shapley-Wert gegen diese Beispiele (p-SHAP). Dann werden Änderungen für alle Zeilen gemeinsam gewählt, und das Modell bewertet das Ergebnis noch einmal.",

  limits: "Annahmen und Grenzen",
  limitProxy:
    "Geschützte Merkmale werden allein an den Namen der Spalten erkannt. Dass keines geändert wird, zeigt nicht, dass keines entscheidet.",
  limitModel:
    "Beweise gelten für das Modell, wie es gelesen wurde. Ein neu trainiertes Modell braucht einen neuen Lauf.",
  limitDigest: "Prüfsummen und Codes zeigen, dass etwas geändert wurde. Wer es schrieb, zeigen sie nicht.",

  evidence: "Was dieser Lauf an Nachweisen gibt",
  evidenceNote:
    "✔ angesehen, und nichts spricht dagegen; ✘ angesehen, und etwas spricht dagegen; – in diesem Lauf nicht angesehen.",
  check: "Angesehen",
  result: "Befund",
  content: "Inhalte, wie sie geschrieben wurden",
  contentHolds: "die Prüfsumme aller Inhalte ist die mit ihnen geschriebene",
  contentFails: "die Prüfsumme aller Inhalte ist eine andere: Nach dem Lauf wurde etwas geändert",
  contentOpen: "von einer älteren Version ohne Prüfsumme geschrieben",
  rows: "Zeilen und Pläne innerhalb der Vorgaben",
  rowsHold: "alle {rows} Zeilen stimmen mit sich, den Vorgaben und den Zählungen überein",
  rowsFail: "{count} von {rows} Zeilen nicht, zuerst {first}: {why}",
  totalsFail: "die Zählungen sind nicht die der Zeilen",
  rescored: "Pläne, vom Modell noch einmal bewertet",
  rescoredAll: "{plans} {plans|Plan, der das Ziel erreicht|Pläne, die alle das Ziel erreichen}",
  rescoredSome:
    "{plans} {plans|Plan|Pläne}: {good} {good|erreicht|erreichen} das Ziel, {bad} nicht und {bad|ist|sind} als das Beste bezeichnet, das gefunden wurde",
  rescoredGroup: "alle Zeilen zusammen legen {share} des Weges zum Ziel zurück",
  rescoredNone: "es gibt keinen Plan zu bewerten",
  scopes: "Beweise, wie wenige Änderungen nötig sind",
  scopesNone: "in diesem Lauf ist nichts bewiesen",
  ranges: "Spannen der geplanten Zahlen",
  rangesFact: "{certified} durch Schranken des Modells bewiesen, {tested} durch Stichproben erprobt",
  rangesNone: "kein Plan hat eine Spanne",
  additive: "Gründe ergeben zusammen den Score",
  additiveFact: "{how}; die größte Abweichung einer Summe ist {residual}",
  additiveNone: "nach Gründen war nicht gefragt",
  coupling: "Zuordnung der Zeilen zu Beispielen",
  fewer: "Änderungen gegenüber den Kontrafaktualen",
  fewerFact: "{edits} statt {proposed} in {rows} {rows|Zeile|Zeilen} mit einem Plan",
  survival: "Pläne, wenn das Modell neu trainiert wird",
  survivalFact: "{rows} {rows|Plan wurde|Pläne wurden} an bis zu {models} neu trainierten Modellen geprüft",
  survivalNone: "neu trainierte Modelle wurden nicht befragt",
  usual: "Geplante Werte, wie andere Menschen sie haben",
  usualFact: "{unusual} von {values} geplanten Werten sind ungewöhnlich, {broken} Regeln neu verletzt",
  usualNone: "nicht mit der Tabelle verglichen",
  quality: "Das Modell gegen bekannte Ergebnisse",
  groups: "Gruppen nicht weiter auseinander als durch Zufall",
  groupsFact:
    "der größte Abstand nach {attribute}: {measure}, {most} gegen {least}, berichtigtes p {holm}; {confined} {confined|Bedingung lässt|Bedingungen lassen} bewiesen niemandem einen Plan",
  groupsNoGap:
    "kein Abstand zwischen den Gruppen; {confined} {confined|Bedingung lässt|Bedingungen lassen} bewiesen niemandem einen Plan",
  groupsNone: "Gruppen wurden nicht verglichen",

  monitoring: "Was zu beobachten ist",
  monitoringNote:
    "Zu vergleichen mit dem Blatt eines späteren Laufs derselben Anfrage. Eine Größe, die ihr 95-%-Intervall verlässt, ist anzusehen, ebenso eine über 0, wo 0 erwartet ist. Die Intervalle nehmen die Zeilen als zufällig gezogen aus den kommenden.",
  figure: "Größe",
  value: "Wert",
  interval: "95-%-Intervall",
  from: "Aus",
  expected: "erwartet: 0",
  fig_atGoal: "Zeilen mit einem Plan, der das Ziel erreicht",
  fig_oneEdit: "Zeilen mit einem Plan aus einer Änderung",
  fig_edits: "Änderungen je Plan",
  fig_change: "Veränderung je Plan",
  fig_proven: "Pläne, über alle zulässigen Werte als kleinste bewiesen",
  fig_none: "Zeilen, die bewiesen keinen Plan haben",
  fig_budget: "Zeilen, deren Suche abgebrochen wurde",
  fig_errors: "Zeilen, die nicht zu lesen oder zu bewerten waren",
  fig_missing: "Fehlende Zellen",
  fig_before: "Score der Zeilen jetzt, im Mittel",
  fig_survival: "Neu trainierte Modelle, die einen Plan annehmen",
  fig_unusual: "Geplante Werte, die ungewöhnlich sind",
  fig_accuracy: "Zeilen der Tabelle in ihrer bekannten Klasse",
  fig_auc: "Fläche unter der ROC-Kurve des Modells",
  unit_rows: "{count} {count|Zeile|Zeilen}",
  unit_plans: "{count} {count|Plan|Plänen}",
  unit_cells: "{count} {count|Zelle|Zellen}",
  unit_values: "{count} {count|geplanten Wert|geplanten Werten}",

  repeat: "Wiederholen und unterschreiben",
  repeatNote:
    "Dieselbe Tabelle, dasselbe Modell, dieselben Optionen und derselbe Startwert geben dieselbe Prüfsumme des Laufs und dieselben Pläne, auf der Kommandozeile, über HTTP und im Studio. Mit der Erklärung, aus der dieses Blatt geschrieben ist, sagt cola verify, ob ein Wort daran geändert wurde.",
  code: "Code zur Prüfung dieses Blattes",
};
