interface SegmentsProps<T extends string> {
  legend: string;
  of: readonly (readonly [choice: T, label: string, hint?: string])[];
  chosen: T;
  choose(choice: T): void;
}

/** A choice of a few values, part of a tool bar. */
export function Segments<T extends string>({ legend, of, chosen, choose }: SegmentsProps<T>) {
  return (
    <fieldset class="segments">
      <legend class="spoken">{legend}</legend>
      {of.map(([choice, label, hint]) => (
        <button key={choice} type="button" aria-pressed={choice === chosen} title={hint} onClick={() => choose(choice)}>
          {label}
        </button>
      ))}
    </fieldset>
  );
}
