interface SegmentsProps<T extends string> {
  /** Read to those who do not see it. */
  legend: string;
  /** Each with what stands on it. */
  of: readonly (readonly [choice: T, label: string])[];
  chosen: T;
  choose(choice: T): void;
}

/** One of a few, to be put into a tool bar. */
export function Segments<T extends string>({ legend, of, chosen, choose }: SegmentsProps<T>) {
  return (
    <fieldset class="segments">
      <legend class="spoken">{legend}</legend>
      {of.map(([choice, label]) => (
        <button key={choice} type="button" aria-pressed={choice === chosen} onClick={() => choose(choice)}>
          {label}
        </button>
      ))}
    </fieldset>
  );
}
