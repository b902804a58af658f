import { secondsLeft, whyNot } from "../state/ready.ts";
import type { Studio } from "../studio.ts";
import type { Said } from "../words/said.ts";
import { useSaid } from "../words/use-said.ts";
import { Bar, stageWords } from "./progress.tsx";
import { Where } from "./where.tsx";

/** Run, or how far the run is and a way to stop it. */
export function RunBar({ studio }: { readonly studio: Studio }) {
  const { say } = useSaid();
  const { run } = studio.state;
  if (!run) return <Ready studio={studio} />;
  const left = secondsLeft(run);
  return (
    <div className="run" aria-busy="true">
      <div className="progress-line">
        <span role="status">{say(stageWords(run.progress))} …</span>
        {left === null ? null : <small>{timeLeft(left, say)}</small>}
        <button type="button" onClick={() => studio.actions.cancel()}>
          {say("cancel")}
        </button>
      </div>
      <Bar label={say("progressOfRun")} progress={run.progress} />
    </div>
  );
}

/** Rounded as people say it: minutes without seconds. */
function timeLeft(seconds: number, say: Said["say"]): string {
  if (seconds < 90) return say("secondsLeft", { seconds: String(Math.max(1, Math.round(seconds))) });
  return say("minutesLeft", { minutes: String(Math.round(seconds / 60)) });
}

function Ready({ studio }: { readonly studio: Studio }) {
  const { say, tell } = useSaid();
  const { busy } = studio.state;
  const why = whyNot(studio.state);
  return (
    <div className="run">
      <Where studio={studio} />
      <button
        type="button"
        className="primary"
        disabled={why !== null || busy !== null}
        {...(why && !busy ? { "aria-describedby": "why-not" } : {})}
        onClick={() => studio.actions.run()}
      >
        {say("findEdits")}
      </button>
      {busy ? <p className="note">{tell(busy.message)}</p> : null}
      {why && !busy ? (
        <p id="why-not" className="wrong">
          {tell(why)}
        </p>
      ) : null}
    </div>
  );
}
