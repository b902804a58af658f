import type { ReactNode } from "react";
import { formatNumber, percent } from "../../show/sentences.ts";
import { qualityKey, whyNot } from "../state/ready.ts";
import type { Studio } from "../studio.ts";
import { useSaid } from "../words/use-said.ts";

const SIZE = 120;

/** Accuracy, ROC and calibration of the model on the table, when asked for. */
export function QualityPanel({ studio }: { readonly studio: Studio }) {
  const { say, tell } = useSaid();
  const { state, actions } = studio;
  const { quality, data, busy } = state;
  const why = data?.classes ? whyNot(state) : ({ key: "qualityNeedsOutcome" } as const);
  const current = quality && quality.of === qualityKey(state) ? quality.info : null;
  return (
    <section className="quality" aria-label={say("quality")}>
      <button type="button" disabled={why !== null || busy !== null} onClick={() => void actions.quality()}>
        {say("measureModel")}
      </button>
      {why ? <span className="note">{tell(why)}</span> : null}
      {current ? <Figures info={current} /> : null}
    </section>
  );
}

function Figures({ info }: { readonly info: NonNullable<Studio["state"]["quality"]>["info"] }) {
  const { say, locale, count } = useSaid();
  const { rows, accuracy, auc, roc, bins, trained } = info;
  const at = ([x, y]: readonly [number, number]): string => `${SIZE * x},${SIZE * (1 - y)}`;
  const told = {
    accuracy: percent(accuracy),
    auc: formatNumber(Number(auc.toFixed(3)), locale),
    rows: count(rows),
    class: info.class,
  };
  return (
    <>
      <p>{say("qualityFigures", told)}</p>
      {trained ? <p className="hint">{say("onTrainingRows")}</p> : null}
      <div className="row">
        <figure>
          <Square label={say("rocOf", told)}>
            <polyline className="line" points={roc.map(at).join(" ")} />
          </Square>
          <figcaption>{say("roc")}</figcaption>
        </figure>
        <figure>
          <Square label={say("calibrationOf", told)}>
            {bins.map(({ score, share, rows: some }) => (
              <circle key={score} cx={SIZE * Math.min(1, Math.max(0, score))} cy={SIZE * (1 - share)} r="4">
                <title>
                  {say("calibrationBin", { score: percent(score), share: percent(share), rows: count(some) })}
                </title>
              </circle>
            ))}
          </Square>
          <figcaption>{say("calibrationShown")}</figcaption>
        </figure>
      </div>
    </>
  );
}

/** Both axes from 0 to 1, with their diagonal. */
function Square({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <svg viewBox={`-4 -4 ${SIZE + 8} ${SIZE + 8}`} width="150" height="150" role="img" aria-label={label}>
      <path className="rail" d={`M0,${SIZE} L${SIZE},0 M0,0 V${SIZE} H${SIZE}`} />
      {children}
    </svg>
  );
}
