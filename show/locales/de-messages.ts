/** What the library says of a row (src/), as templates of its own sentences, in German. */
export const deMessages: Readonly<Record<string, string>> = {
  "For everyone: where {where}, go to {goal}.": "Für alle: aus {where} wird {goal}.",
  "For {group}: where {where}, go to {goal}.": "Für {group}: aus {where} wird {goal}.",
  "model of {file}": "Modell aus {file}",
  "{model} (rare levels of {features} are one to it)":
    "{model} (seltene Stufen von {features} gelten ihm als eine)",
  "no mixture of the row with its references reaches the target.":
    "Keine Mischung der Zeile mit ihren Referenzen erreicht das Ziel.",
  "no permitted values reach the target.": "Keine zulässigen Werte erreichen das Ziel.",
  "no plan that was found reaches the target and is no more unusual than the row itself.":
    "Kein gefundener Plan erreicht das Ziel und ist nicht ungewöhnlicher als die Zeile selbst.",
  "Letting {feature} be filled in (editMissing) would allow a plan of {edits} {word}.":
    "Dürfte {feature} ausgefüllt werden (editMissing), gäbe es einen Plan mit {edits} {edits|Änderung|Änderungen}.",
  "Unlocking {feature} and letting {gaps} be filled in (editMissing) would allow a plan of {edits} {word}.":
    "Dürfte sich {feature} ändern und {gaps} ausgefüllt werden (editMissing), gäbe es einen Plan mit {edits} {edits|Änderung|Änderungen}.",
  "Unlocking {feature} would allow a plan of {edits} {word}.":
    "Dürfte sich {feature} ändern, gäbe es einen Plan mit {edits} {edits|Änderung|Änderungen}.",
  "No plan was found within what people may change.":
    "Innerhalb dessen, was Menschen ändern dürfen, wurde kein Plan gefunden.",
  "more than {edits} edits are needed; raise budget.perRow.":
    "Mehr als {edits} {edits|Änderung ist|Änderungen sind} nötig; budget.perRow höher setzen.",
  "no plan of fewer than {edits} edits exists, and larger ones were too many to search; raise effort.":
    "Einen Plan mit weniger als {edits} {edits|Änderung|Änderungen} gibt es nicht, und größere waren zu viele für die Suche; effort höher setzen.",
  "budget.total = {total} went to rows that need fewer edits.":
    "budget.total = {total} ging an Zeilen, die weniger Änderungen brauchen.",
  "no step of the row's edits, in the order of the policy, reaches the target.":
    "Kein Schritt der Änderungen dieser Zeile, in der Reihenfolge der Strategie, erreicht das Ziel.",
  'the budget was spent past the target, which {edits} edits reach; give stop "goal".':
    "Das Budget wurde über das Ziel hinaus verbraucht, das {edits} {edits|Änderung erreicht|Änderungen erreichen}; stop: „goal“ hört dort auf.",
  "the budget ran out before the row reached the target.":
    "Das Budget war verbraucht, bevor die Zeile das Ziel erreichte.",
  "the budget ran out before the group reached its goal.":
    "Das Budget war verbraucht, bevor die Gruppe ihr Ziel erreichte.",
  "the group does not reach its goal with the proposals given.":
    "Mit den gegebenen Vorschlägen erreicht die Gruppe ihr Ziel nicht.",
  "the model answered otherwise when the row was scored again.":
    "Das Modell antwortete anders, als die Zeile erneut bewertet wurde.",
  "the run was stopped before it came to this row.":
    "Der Lauf wurde angehalten, bevor diese Zeile an der Reihe war.",
  "{feature} is {value}; only finite numbers and missing values are legal.":
    "{feature} ist {value}; zulässig sind nur endliche Zahlen und fehlende Werte.",
  "{feature} holds the code {value}, which is not a level of it.":
    "{feature} enthält den Code {value}, der zu keiner seiner Stufen gehört.",
  "the time ran out during {stage}; raise limits.timeMs or give fewer rows.":
    "Die Zeit war während {stage} verbraucht; limits.timeMs höher setzen oder weniger Zeilen geben.",
  "{stage} ran out of its {ms} ms after {done} of {total}; raise limits.timeMs or give fewer rows.":
    "{stage}: Die {ms} ms waren nach {done} von {total} verbraucht; limits.timeMs höher setzen oder weniger Zeilen geben.",
  "{stage} would score {rows} rows, more than limits.modelRows = {limit}; raise it or give fewer rows.":
    "{stage}: {rows} Zeilen wären zu bewerten, mehr als limits.modelRows = {limit}; den Wert höher setzen oder weniger Zeilen geben.",
  "model: predict failed on a batch of {rows} rows: {message}":
    "Modell: predict schlug bei {rows} {rows|Zeile|Zeilen} fehl: {message}",
  "model: predict returned {value} for row {row} of a batch of {rows}; give one finite number per row.":
    "Das Modell gab für Zeile {row} von {rows} keine endliche Zahl zurück, sondern {value}; fehlt dort ein Wert, so sagen Sie bei seinen Eingaben, welche Zahl es dafür liest.",
  "model: predict got {rows} rows and returned {scores} scores; return one number per row.":
    "Modell: predict erhielt {rows} {rows|Zeile|Zeilen} und gab {scores} Scores zurück; je Zeile wird eine Zahl erwartet.",
  "model: predict did not answer within the {ms} ms left of limits.timeMs.":
    "Modell: predict antwortete nicht innerhalb der {ms} ms, die von limits.timeMs noch übrig waren.",
};
