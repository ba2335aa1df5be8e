import type { Signal } from '@preact/signals';
import { type Scope, scopeDescription } from '../state/scopes.ts';

/** A choice of scopes, each with its description. */
export function ScopeChoice({
  chosen,
  among,
  isRow = false,
}: {
  chosen: Signal<string[]>;
  among: readonly Scope[];
  isRow?: boolean;
}) {
  return (
    <fieldset class={isRow ? 'row' : undefined}>
      <legend>Permissions</legend>
      {among.map((scope) => (
        <label key={scope} class="check">
          <input
            type="checkbox"
            checked={chosen.value.includes(scope)}
            onChange={({ currentTarget: { checked } }) => {
              chosen.value = checked ? [...chosen.value, scope] : chosen.value.filter((each) => each !== scope);
            }}
          />
          <span>
            <b>{scope}</b>: {scopeDescription(scope)}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
