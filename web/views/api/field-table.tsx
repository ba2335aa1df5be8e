import type { FieldRow } from './documents.ts';

/** Fields of a payload, as rows. */
export function FieldTable({ title, fields }: { title: string; fields: readonly FieldRow[] }) {
  if (fields.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <section class="scrolls" tabIndex={0} aria-label={title}>
        <table class="fields">
          <tbody>
            {fields.map(({ name, type, text }) => (
              <tr key={name}>
                <td>
                  <code>{name}</code>
                </td>
                <td>{type}</td>
                <td class="wrap">{text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}
