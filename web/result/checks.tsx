import type { Checked } from "../../study/check.ts";
import { type VerdictOf, verdictOf } from "../state/verdict.ts";
import type { Studio } from "../studio.ts";
import { useSaid } from "../words/use-said.ts";

const MARKS: Readonly<Record<VerdictOf, string>> = { holds: "✓", other: "!", changed: "✗" };

/** What matched when the run was opened, thing by thing, and what is said of its letters and reports. */
export function Checks({ studio }: { readonly studio: Studio }) {
  const { say, tell } = useSaid();
  const { checked, papers } = studio.state.view;
  if (!checked && papers.length === 0) return null;
  const verdict = checked ? verdictOf(checked.checks) : "holds";
  return (
    <section className={`checks ${verdict}`} aria-label={say("whatWasChecked")}>
      {checked ? (
        <>
          <p role={verdict === "holds" ? "status" : "alert"} className="verdict">
            <b aria-hidden="true">{MARKS[verdict]}</b> {say(`verdict_${verdict}`)}
          </p>
          <details open={verdict !== "holds"}>
            <summary>{say("whatWasChecked")}</summary>
            <ul>
              {checked.checks.map((one) => (
                <Check key={one.name} check={one} />
              ))}
            </ul>
            <button
              type="button"
              disabled={studio.state.busy !== null}
              onClick={() => studio.actions.checkAgain()}
            >
              {say("checkAgain")}
            </button>
          </details>
        </>
      ) : null}
      {papers.map(({ name, kind, ok, why }) => (
        <p key={name} role={ok ? "status" : "alert"} className={ok ? "good" : "bad"}>
          {say(`${ok ? "paper" : "paperNot"}_${kind}`, { file: name })}
          {why === undefined ? "" : `: ${partsOf(why, tell)}.`}
        </p>
      ))}
    </section>
  );
}

/** What does not match, part by part. */
const partsOf = (why: string, tell: (part: string) => string): string =>
  why
    .split("; ")
    .map((part) => tell(part))
    .join("; ");

function Check({ check: { name, ok, why } }: { readonly check: Checked }) {
  const { say, tell } = useSaid();
  const [mark, word] =
    ok === null
      ? (["–", "checkOpen"] as const)
      : ok
        ? (["✓", "checkYes"] as const)
        : (["✗", "checkNo"] as const);
  const told =
    why === undefined ? "" : ok === null ? say("checkTakes", { why: tell(why) }) : `${partsOf(why, tell)}.`;
  return (
    <li className={ok === null ? "open" : ok ? "good" : "bad"}>
      <b aria-hidden="true">{mark}</b>
      <span>
        {say(`check_${name}`)} <span className={ok ? "unseen" : ""}>({say(word)})</span>
        {told ? <small> {told}</small> : null}
      </span>
    </li>
  );
}
