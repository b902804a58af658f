import type { ReactNode } from "react";
import { Bar, stageWords } from "../parts/progress.tsx";
import type { Job } from "../remote/jobs.ts";
import type { Remote } from "../remote/use-remote.ts";

/** The job in the address while it has no result to show: how far it is, or what became of it. */
export function JobView({ remote, id }: { readonly remote: Remote; readonly id: string }) {
  const { lost, failure, need } = remote;
  const job = remote.jobs.find((one) => one.id === id);
  if (need !== "no") {
    return told("An API key is needed", <p>This job can be seen with the key it was started with.</p>);
  }
  if (failure) return told("The job cannot be shown", <p role="alert">{failure}</p>);
  if (job?.state === "failed") {
    return told(
      "The job failed",
      <>
        <p role="alert" className="trouble">
          {job.error?.detail ?? "The server gave no reason."}
        </p>
        <p className="note">Nothing was changed. Mend the cause and run again.</p>
      </>,
    );
  }
  if (job?.state === "cancelled") {
    return told("Cancelled", <p role="status">Nothing was changed. Run again whenever you like.</p>);
  }
  return <Underway job={job} lost={lost} onCancel={() => remote.cancel(id)} />;
}

function told(title: string, content: ReactNode) {
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
  return (
    <div className="empty" aria-busy="true">
      <h2>{titleOf(job, lost)}</h2>
      <div className="job-progress">
        <Bar label="Progress of this job" progress={job?.progress ?? null} />
        <p role="status">{statusOf(job, lost)}</p>
      </div>
      {job && !lost && job.state !== "done" ? (
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      ) : null}
      <p className="note">
        {lost ? "The" : "You may close this page: the job goes on, and the"} address of this page brings you
        back to it.
      </p>
    </div>
  );
}

function titleOf(job: Job | undefined, lost: boolean): string {
  if (lost) return "The server does not answer";
  return job?.state === "queued" ? "Waiting in line on the server" : "Running on the server";
}

function statusOf(job: Job | undefined, lost: boolean): string {
  if (lost) return "Trying again … The job is kept and goes on when the server is back.";
  if (!job) return "Asking for the job …";
  if (job.state === "queued") return "Another job runs before this one.";
  if (job.state === "done") return "Getting the result …";
  const again = job.attempt > 1 ? " Begun again after the server was interrupted." : "";
  return `${stageWords(job.progress)} …${again}`;
}
