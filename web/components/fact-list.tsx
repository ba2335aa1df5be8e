/** Names and what they stand for; what is not known is left out. */
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
