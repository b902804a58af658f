import type { MouseEvent } from "react";
import { addressOf } from "../remote/address.ts";
import { titlesOf } from "../remote/job-inputs.ts";
import { isOpen, type Job } from "../remote/jobs.ts";
import type { Studio } from "../studio.ts";
import { useSaid } from "../words/use-said.ts";
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
export function Jobs({ studio }: { readonly studio: Studio }) {
  const { say } = useSaid();
  const { jobs, need, lost } = studio.state.server;
  if (need !== "no" || jobs.length === 0) return null;
  return (
    <section className="jobs" aria-labelledby="jobs-title">
      <h2 id="jobs-title">{say(lost ? "jobsLost" : "jobs")}</h2>
      <ul>
        {jobs.map((job) => (
          <JobLine key={job.id} job={job} studio={studio} />
        ))}
      </ul>
    </section>
  );
}

function JobLine({ job, studio }: { readonly job: Job; readonly studio: Studio }) {
  const { say, title, locale } = useSaid();
  const { names, current } = studio.state.server;
  const { server } = studio.actions;
  const { source, model } = titlesOf(job, names);
  const time = new Date(job.createdAt).toLocaleString(locale.lang === "en" ? "en-GB" : locale.lang, WHEN);
  const open = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    server.go(job.id);
  };
  return (
    <li className={job.state}>
      <div className="job-head">
        <a href={addressOf(job.id)} aria-current={job.id === current ? "page" : undefined} onClick={open}>
          {title(source).replace(/ \(.*\)$/, "")}
          <small>
            {title(model)}, {time}
          </small>
        </a>
        <span className="state">{say(`job_${job.state}`)}</span>
        {isOpen(job) ? (
          <button
            type="button"
            className="quiet"
            aria-label={say("cancelJob", { time })}
            onClick={() => server.cancel(job.id)}
          >
            ✕
          </button>
        ) : null}
      </div>
      {job.state === "running" ? (
        <Bar label={say("progressOfJob", { time })} progress={job.progress} />
      ) : null}
    </li>
  );
}
