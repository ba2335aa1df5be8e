/** A figure with its unit in small. */
export function Quantity({ text }: { text: string }) {
  const [, value, unit] = /^(.*\d) (\D+)$/.exec(text) ?? [];
  if (value === undefined || unit === undefined) return <>{text}</>;
  return (
    <>
      {value} <small>{unit}</small>
    </>
  );
}
