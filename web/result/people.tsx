import { useMemo, useState } from "react";
import type { ReasonCodes } from "../../show/reasons.ts";
import { planSentences } from "../../show/sentences.ts";
import type { ExplainedRow, Explanation } from "../../src/explanation.ts";
import { Select } from "../parts/controls.tsx";
import type { Result } from "../studio.ts";
import { PeopleTable } from "./people-table.tsx";
import { PersonPanel } from "./person.tsx";
import { counted, personName } from "./words.ts";

type Show = "all" | "good" | "bad";
type Order = "table" | "few" | "many" | "gain";

const ORDERS: Readonly<Record<Order, ((a: ExplainedRow, b: ExplainedRow) => number) | null>> = {
  table: null,
  few: (a, b) => a.edits.length - b.edits.length,
  many: (a, b) => b.edits.length - a.edits.length,
  gain: (a, b) => (b.after ?? 0) - (b.before ?? 0) - ((a.after ?? 0) - (a.before ?? 0)),
};

/** Search, filter, order; the table; the person chosen. */
export function People({ result, codes }: { readonly result: Result; readonly codes: ReasonCodes }) {
  const { explanation, live } = result;
  const [find, setFind] = useState("");
  const [show, setShow] = useState<Show>("all");
  const [order, setOrder] = useState<Order>("table");
  const [all, setAll] = useState(false);
  const [chosen, setChosen] = useState<ExplainedRow | null>(null);
  const texts = useTexts(explanation);
  const rows = useMemo(() => {
    const wanted = find.trim().toLowerCase();
    const kept = explanation.rows.filter(
      (row, i) =>
        (show === "all" || row.valid === (show === "good")) && (wanted === "" || texts(i).includes(wanted)),
    );
    const by = ORDERS[order];
    return by ? kept.sort(by) : kept;
  }, [explanation, find, show, order, texts]);
  const selected = chosen ? rows.indexOf(chosen) : -1;
  const position = chosen ? explanation.rows.indexOf(chosen) : -1;
  return (
    <>
      <div className="tools">
        <div className="field grow">
          <label htmlFor="find">Search</label>
          <input
            id="find"
            type="search"
            value={find}
            placeholder="person, feature or value"
            onChange={(e) => setFind(e.target.value)}
          />
        </div>
        <Select
          label="Show"
          value={show}
          options={[
            ["all", "everybody"],
            ["good", "who reach it"],
            ["bad", "who do not"],
          ]}
          onChange={(value) => setShow(value as Show)}
        />
        <Select
          label="Order"
          value={order}
          options={[
            ["table", "as in the data"],
            ["few", "fewest edits first"],
            ["many", "most edits first"],
            ["gain", "largest gain first"],
          ]}
          onChange={(value) => setOrder(value as Order)}
        />
        <label className="check">
          <input type="checkbox" checked={!all} onChange={(e) => setAll(!e.target.checked)} />
          Only changes
        </label>
      </div>
      <p className="note" role="status">
        {rows.length === explanation.rows.length
          ? `${counted(rows.length)} people`
          : `${counted(rows.length)} of ${counted(explanation.rows.length)} people`}
        {chosen ? "" : ". Choose one for the plan in words."}
      </p>
      <div className={`people-layout ${chosen ? "with-person" : ""}`}>
        {rows.length > 0 ? (
          <PeopleTable
            explanation={explanation}
            rows={rows}
            selected={selected}
            onSelect={(at) => setChosen(rows[at] ?? null)}
            view={all ? "all" : "changes"}
            label="People and their edits"
          />
        ) : (
          <div className="empty small">
            <p>Nobody fits this search.</p>
          </div>
        )}
        {position >= 0 ? (
          <PersonPanel
            codes={codes}
            explanation={explanation}
            position={position}
            live={live}
            onClose={() => setChosen(null)}
          />
        ) : null}
      </div>
    </>
  );
}

/** What is searched of each row, made when it is first needed. */
function useTexts({ rows, schema }: Explanation): (i: number) => string {
  return useMemo(() => {
    const known = new Map<number, string>();
    return (i) => {
      let text = known.get(i);
      if (text === undefined) {
        const row = rows[i]!;
        text = [personName(row), ...planSentences(schema, row), ...row.x.map(String)]
          .join("\n")
          .toLowerCase();
        known.set(i, text);
      }
      return text;
    };
  }, [rows, schema]);
}
