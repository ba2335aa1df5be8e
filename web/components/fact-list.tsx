/** Names and values; unknown values are omitted. */
export function Facts({ of }: { of: readonly (readonly [name: string, text: string | null])[] }) {
  return (
    <dl>
      {of.map(([name, text]) =>
        text === null ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
