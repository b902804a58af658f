import { useMemo } from "react";
import type { ExplainedRow } from "../../src/explanation.ts";
import { Select } from "../parts/controls.tsx";
import { inForce } from "../state/plans.ts";
import type { PeopleView } from "../state/view.ts";
import type { Studio } from "../studio.ts";
import { useSaid } from "../words/use-said.ts";
import type { CohortProps } from "./part.ts";
import { PeopleTable } from "./people-table.tsx";
import { PersonPanel } from "./person.tsx";
import { useFound } from "./use-found.ts";

type Order = PeopleView["order"];

const ORDERS: Readonly<Record<Order, ((a: ExplainedRow, b: ExplainedRow) => number) | null>> = {
  table: null,
  few: (a, b) => a.edits.length - b.edits.length,
  many: (a, b) => b.edits.length - a.edits.length,
  gain: (a, b) => (b.after ?? 0) - (b.before ?? 0) - ((a.after ?? 0) - (a.before ?? 0)),
};

/** Search, filter, order; the table; the person chosen. */
export function People({ studio, result, cohort }: CohortProps) {
  const { say, count, locale } = useSaid();
  const { explanation } = result;
  const { people, person } = studio.state.view;
  const { find, show, order, all } = people;
  const found = useFound(cohort.explanation.rows, find, locale, explanation);
  const rows = useMemo(() => {
    const kept = found.filter((row) => show === "all" || row.valid === (show === "good"));
    const by = ORDERS[order];
    return by ? kept.sort(by) : kept;
  }, [found, show, order]);
  const chosen = person ? explanation.rows[person.position] : undefined;
  // One person has one plan wherever it stands: the list says of them what the panel beside it says.
  const now = person && chosen ? inForce(chosen, person).row : undefined;
  const look = (row: ExplainedRow | undefined): void =>
    studio.actions.look(row ? explanation.rows.indexOf(row) : null);
  const size = cohort.explanation.rows.length;
  const counts = { some: count(rows.length), all: count(size) };
  return (
    <>
      <Tools studio={studio} />
      <p className="note" role="status">
        {rows.length === size ? say("people", counts) : say("somePeople", counts)}
        {chosen ? "" : `. ${say("chooseOne")}`}
      </p>
      <div className={`people-layout ${chosen ? "with-person" : ""}`}>
        {rows.length > 0 ? (
          <PeopleTable
            id="people"
            studio={studio}
            explanation={explanation}
            count={rows.length}
            rowAt={(at) => (now && rows[at] === chosen ? now : rows[at]!)}
            selected={chosen ? rows.indexOf(chosen) : -1}
            onSelect={(at) => look(rows[at])}
            view={all ? "all" : "changes"}
            label={say("peopleAndEdits")}
          />
        ) : (
          <div className="empty small">
            <p>{say("nobodyFits")}</p>
          </div>
        )}
        {person && chosen ? <PersonPanel studio={studio} result={result} person={person} /> : null}
      </div>
    </>
  );
}

function Tools({ studio }: { readonly studio: Studio }) {
  const { say } = useSaid();
  const { find, show, order, all } = studio.state.view.people;
  const change = (to: Partial<PeopleView>): void => studio.send({ type: "people", change: to });
  return (
    <div className="tools">
      <div className="field grow">
        <label htmlFor="find">{say("find")}</label>
        <input
          id="find"
          type="search"
          value={find}
          placeholder={say("searchHint")}
          onChange={(e) => change({ find: e.target.value })}
        />
      </div>
      <Select
        label={say("show")}
        value={show}
        options={(["all", "good", "bad"] as const).map((one) => [one, say(`show_${one}`)] as const)}
        onChange={(value) => change({ show: value as PeopleView["show"] })}
      />
      <Select
        label={say("order")}
        value={order}
        options={(["table", "few", "many", "gain"] as const).map(
          (one) => [one, say(`order_${one}`)] as const,
        )}
        onChange={(value) => change({ order: value as Order })}
      />
      <label className="check">
        <input type="checkbox" checked={!all} onChange={(e) => change({ all: !e.target.checked })} />
        {say("viewTable")}
      </label>
    </div>
  );
}
