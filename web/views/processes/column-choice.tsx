import { Icon } from '../../components/icon.tsx';

interface ColumnChoiceProps {
  columns: readonly { key: string; title: string }[];
  /** Keys of those that are shown. */
  chosen: readonly string[];
  set(next: string[]): void;
}

/** Which columns of a table are shown; the order stays. */
export function ColumnChoice({ columns, chosen, set }: ColumnChoiceProps) {
  const toggle = (key: string, on: boolean) =>
    set(columns.map((column) => column.key).filter((each) => (each === key ? on : chosen.includes(each))));
  return (
    <details class="choice">
      <summary>
        <Icon name="list" /> Columns
      </summary>
      <fieldset>
        <legend class="spoken">Columns that are shown</legend>
        {columns.map(({ key, title }) => (
          <label key={key} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(key)}
              onChange={({ currentTarget: { checked } }) => toggle(key, checked)}
            />
            <span>{title}</span>
          </label>
        ))}
      </fieldset>
    </details>
  );
}
