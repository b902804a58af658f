/** One figure with its name, and of how many it is. */
export function Tile({
  name,
  value,
  of,
  note,
}: {
  readonly name: string;
  readonly value: string;
  readonly of?: string;
  readonly note: string;
}) {
  return (
    <div className="tile">
      <dt>{name}</dt>
      <dd className="value">
        {value}
        {of ? <small> {of}</small> : null}
      </dd>
      <dd className="note">{note}</dd>
    </div>
  );
}
