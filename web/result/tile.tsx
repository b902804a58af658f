/** One figure with its name. */
export function Tile({
  name,
  value,
  note,
}: {
  readonly name: string;
  readonly value: string;
  readonly note: string;
}) {
  return (
    <div className="tile">
      <dt>{name}</dt>
      <dd className="value">{value}</dd>
      <dd className="note">{note}</dd>
    </div>
  );
}
