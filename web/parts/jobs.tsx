import type { MouseEvent } from "react";
import { isOpen, type Job } from "../remote/jobs.ts";
import { titlesOf } from "../remote/lend.ts";
import { addressOf, type Remote } from "../remote/use-remote.ts";
import { Bar } from "./progress.tsx";

/** Jobs are kept for long: a time alone would not tell when. */
const WHEN: Intl.DateTimeFormatOptions = {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
};

/** The newest jobs of this server: how far they are, a way back to each, a way to stop. */
export function Jobs({ remote }: { readonly remote: Remote }) {
  const { jobs, need, lost } = remote;
  if (need !== "no" || jobs.length === 0) return null;
  return (
    <section className="jobs" aria-labelledby="jobs-title">
      <h2 id="jobs-title">Jobs on this server{lost ? ", as last heard" : ""}</h2>
      <ul>
        {jobs.map((job) => (
          <JobLine key={job.id} job={job} remote={remote} />
        ))}
      </ul>
    </section>
  );
}

function JobLine({ job, remote }: { readonly job: Job; readonly remote: Remote }) {
  const { source, model } = titlesOf(job, remote.names);
  const time = new Date(job.createdAt).toLocaleString("en-GB", WHEN);
  const open = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    remote.go(job.id);
  };
  return (
    <li className={job.state}>
      <div className="job-head">
        <a
          href={addressOf(job.id)}
          aria-current={job.id === remote.current ? "page" : undefined}
          onClick={open}
        >
          {source.replace(/ \(.*\)$/, "")}
          <small>
            {model}, {time}
          </small>
        </a>
        <span className="state">{stateWords(job)}</span>
        {isOpen(job) ? (
          <button
            type="button"
            className="quiet"
            aria-label={`Cancel the job of ${time}`}
            onClick={() => remote.cancel(job.id)}
          >
            ✕
          </button>
        ) : null}
      </div>
      {job.state === "running" ? (
        <Bar label={`Progress of the job of ${time}`} progress={job.progress} />
      ) : null}
    </li>
  );
}

function stateWords({ state }: Job): string {
  return state === "queued" ? "in line" : state;
}
