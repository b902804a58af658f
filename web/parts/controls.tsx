import { type ChangeEvent, type ReactNode, useId, useRef, useState } from "react";
import type { Studio } from "../studio.ts";
import { useSaid } from "../words/use-said.ts";

/** A labelled drop-down. */
export function Select({
  label,
  value,
  options,
  onChange,
  hint,
  disabled,
}: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string) => void;
  readonly hint?: string;
  readonly disabled?: boolean;
}) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} disabled={disabled} onChange={(e) => onChange(e.target.value)}>
        {options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
      {hint ? <p className="hint">{hint}</p> : null}
    </div>
  );
}

/** A labelled number that may be empty. */
export function NumberField({
  label,
  value,
  onChange,
  min,
  max,
  step,
  placeholder,
  hideLabel,
}: {
  readonly label: string;
  readonly value: number | null | undefined;
  readonly onChange: (value: number | null) => void;
  readonly min?: number;
  readonly max?: number;
  readonly step?: number | "any";
  readonly placeholder?: string;
  readonly hideLabel?: boolean;
}) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id} className={hideLabel ? "unseen" : ""}>
        {label}
      </label>
      <input
        id={id}
        type="number"
        inputMode="decimal"
        value={value ?? ""}
        min={min}
        max={max}
        step={step}
        placeholder={placeholder}
        onChange={(e) => onChange(e.target.value === "" ? null : Number(e.target.value))}
      />
    </div>
  );
}

/** A button that opens the file chooser; files may be dropped on it too. */
export function FileButton({
  children,
  accept,
  onFile,
  onFiles = ([file]) => file && onFile?.(file),
  drop,
}: {
  readonly children: ReactNode;
  readonly accept: string;
  readonly onFile?: (file: File) => void;
  /** All that were chosen or dropped at once. */
  readonly onFiles?: (files: readonly File[]) => void;
  /** Shown as a place to drop files. */
  readonly drop?: boolean;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const id = useId();
  const choose = (e: ChangeEvent<HTMLInputElement>): void => {
    const files = [...(e.target.files ?? [])];
    e.target.value = "";
    if (files.length > 0) onFiles(files);
  };
  return (
    <label
      htmlFor={id}
      className={`file ${drop ? "drop" : ""} ${over ? "over" : ""}`}
      onDragOver={(e) => {
        e.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(e) => {
        e.preventDefault();
        setOver(false);
        const files = [...e.dataTransfer.files];
        if (files.length > 0) onFiles(files);
      }}
    >
      <input
        ref={input}
        id={id}
        type="file"
        accept={accept}
        multiple={onFile === undefined}
        onChange={choose}
      />
      <span>{children}</span>
    </label>
  );
}

/** A wide table on a narrow screen: it scrolls by itself, also by the keyboard. */
export function Scroll({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the keyboard
    <section className="scroll" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}

/** A section that opens and closes, and is found again as it was left. */
export function Fold({
  studio,
  id,
  summary,
  children,
}: {
  readonly studio: Studio;
  readonly id: string;
  readonly summary: ReactNode;
  readonly children: ReactNode;
}) {
  const open = studio.state.open[id] ?? false;
  return (
    <details
      open={open}
      onToggle={(e) => {
        if (e.currentTarget.open !== open) studio.send({ type: "fold", id, open: e.currentTarget.open });
      }}
    >
      <summary>{summary}</summary>
      {children}
    </details>
  );
}

/** Something went wrong: what, and what to do about it. */
export function Alert({
  title,
  message,
  onClose,
}: {
  readonly title: string;
  readonly message: string;
  readonly onClose: () => void;
}) {
  const { say } = useSaid();
  return (
    <div className="alert" role="alert">
      <div>
        <strong>{title}</strong>
        <p>{message}</p>
      </div>
      <button type="button" className="quiet" aria-label={say("closeMessage")} onClick={onClose}>
        ✕
      </button>
    </div>
  );
}

/** A closed padlock. */
export function Lock() {
  return (
    <svg className="lock" viewBox="0 0 14 16" aria-hidden="true">
      <path d="M3 7V5a4 4 0 0 1 8 0v2h1v9H2V7Zm2 0h4V5a2 2 0 0 0-4 0Z" />
    </svg>
  );
}

/** A row of tabs with the usual keys: arrows, Home, End. */
export function Tabs({
  label,
  tabs,
  current,
  onChange,
}: {
  readonly label: string;
  readonly tabs: readonly (readonly [id: string, title: string])[];
  readonly current: string;
  readonly onChange: (id: string) => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  const go = (to: number): void => {
    const at = (to + tabs.length) % tabs.length;
    onChange(tabs[at]![0]);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[at]?.focus();
  };
  const index = tabs.findIndex(([id]) => id === current);
  return (
    <div className="tabs" role="tablist" aria-label={label} ref={list}>
      {tabs.map(([id, title]) => (
        <button
          key={id}
          type="button"
          role="tab"
          id={`tab-${id}`}
          aria-controls={`panel-${id}`}
          aria-selected={id === current}
          tabIndex={id === current ? 0 : -1}
          onClick={() => onChange(id)}
          onKeyDown={(e) => {
            const to = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: tabs.length - 1 }[e.key];
            if (to === undefined) return;
            e.preventDefault();
            go(to);
          }}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
