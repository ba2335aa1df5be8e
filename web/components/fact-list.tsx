import type { ComponentChildren } from 'preact';

/** Name and value; null: unknown, and omitted. */
export type Fact = readonly [name: string, value: ComponentChildren];

export function Facts({ of }: { of: readonly Fact[] }) {
  return (
    <dl>
      {of.map(([name, value], index) =>
        value === null ? null : (
          <div key={index}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

interface PairsProps {
  of: readonly { key: string | number; name: ComponentChildren; value: ComponentChildren; class?: string }[];
}

/** The same as a list, with the values on the right; nothing if it is empty. */
export const Pairs = ({ of }: PairsProps) =>
  of.length === 0 ? null : (
    <ul class="pairs">
      {of.map(({ key, name, value, class: own }) => (
        <li key={key} class={own}>
          <span>{name}</span>
          <span>{value}</span>
        </li>
      ))}
    </ul>
  );
