import type { ReactNode } from "react";
import { Bar, stageWords } from "../parts/progress.tsx";
import type { Job } from "../remote/jobs.ts";
import type { Studio } from "../studio.ts";
import type { Said } from "../words/said.ts";
import { useSaid } from "../words/use-said.ts";

/** The job in the address while it has no result to show: how far it is, or what became of it. */
export function JobView({ studio, id }: { readonly studio: Studio; readonly id: string }) {
  const { say, tell } = useSaid();
  const { lost, failure, need, jobs } = studio.state.server;
  const job = jobs.find((one) => one.id === id);
  if (need !== "no") return notice(say("keyNeeded"), <p>{say("keyNeededNote")}</p>);
  if (failure) return notice(say("jobUnshown"), <p role="alert">{tell(failure)}</p>);
  if (job?.state === "failed") {
    return notice(
      say("jobFailed"),
      <>
        <p role="alert" className="trouble">
          {job.error ? tell(job.error.detail) : say("noReason")}
        </p>
        <p className="note">{say("jobFailedNote")}</p>
      </>,
    );
  }
  if (job?.state === "cancelled")
    return notice(say("cancelled"), <p role="status">{say("cancelledNote")}</p>);
  return <Underway job={job} lost={lost} onCancel={() => studio.actions.server.cancel(id)} />;
}

function notice(title: string, content: ReactNode) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {content}
    </div>
  );
}

function Underway({
  job,
  lost,
  onCancel,
}: {
  readonly job: Job | undefined;
  readonly lost: boolean;
  readonly onCancel: () => void;
}) {
  const said = useSaid();
  const { say } = said;
  const title = lost ? "serverLost" : job?.state === "queued" ? "jobQueued" : "jobRunning";
  return (
    <div className="empty" aria-busy="true">
      <h2>{say(title)}</h2>
      <div className="job-progress">
        <Bar label={say("progressOfThis")} progress={job?.progress ?? null} />
        <p role="status">{statusOf(job, lost, said)}</p>
      </div>
      {job && !lost && job.state !== "done" ? (
        <button type="button" onClick={onCancel}>
          {say("cancel")}
        </button>
      ) : null}
      <p className="note">{say(lost ? "addressLost" : "addressKept")}</p>
    </div>
  );
}

function statusOf(job: Job | undefined, lost: boolean, { say }: Said): string {
  if (lost) return say("tryingAgain");
  if (!job) return say("askingForJob");
  if (job.state === "queued") return say("jobQueuedNote");
  if (job.state === "done") return say("gettingResult");
  const again = job.attempt > 1 ? ` ${say("begunAgain")}` : "";
  return `${say(stageWords(job.progress))} …${again}`;
}
