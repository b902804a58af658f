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
          <svg
            viewBox={`-4 -4 ${SIZE + 8} ${SIZE + 8}`}
            width="150"
            height="150"
            role="img"
            aria-label={say("rocOf", told)}
          >
            <path className="rail" d={`M0,${SIZE} L${SIZE},0 M0,0 V${SIZE} H${SIZE}`} />
            <polyline className="line" points={roc.map(at).join(" ")} />
          </svg>
          <figcaption>{say("roc")}</figcaption>
        </figure>
        <figure>
          <svg
            viewBox={`-4 -4 ${SIZE + 8} ${SIZE + 8}`}
            width="150"
            height="150"
            role="img"
            aria-label={say("calibrationOf", told)}
          >
            <path className="rail" d={`M0,${SIZE} L${SIZE},0 M0,0 V${SIZE} H${SIZE}`} />
            {bins.map(({ score, share, rows: some }) => (
              <circle key={score} cx={SIZE * Math.min(1, Math.max(0, score))} cy={SIZE * (1 - share)} r="4">
                <title>
                  {say("calibrationBin", { score: percent(score), share: percent(share), rows: count(some) })}
                </title>
              </circle>
            ))}
          </svg>
          <figcaption>{say("calibrationShown")}</figcaption>
        </figure>
      </div>
    </>
  );
}
