import type { Signal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { levelOf, levelsWithin } from '../state/access-levels.ts';
import { type Scope, scopeDescription } from '../state/scopes.ts';
import { set } from '../state/set.ts';
import { Member } from './field.tsx';

/** The usual combinations of permissions, and each single one on demand. */
export function ScopeChoice({ chosen, among }: { chosen: Signal<string[]>; among: readonly Scope[] }) {
  const group = useId();
  const current = levelOf(chosen.value);
  return (
    <fieldset class="levels">
      <legend>Permissions</legend>
      {levelsWithin(among).map((level) => (
        <label key={level.title} class="check">
          <input
            type="radio"
            name={group}
            checked={level === current}
            onChange={() => set(chosen, [...level.scopes])}
          />
          <span>
            <b>{level.title}</b>
            <span class="small">{level.text}</span>
          </span>
        </label>
      ))}
      <details>
        <summary>
          {current === undefined ? `Own choice: ${chosen.value.join(', ') || 'nothing'}` : 'Choose one by one'}
        </summary>
        <div class="row">
          {among.map((scope) => (
            <Member key={scope} of={chosen} choice={scope}>
              <span>
                <b>{scope}</b>: {scopeDescription(scope)}
              </span>
            </Member>
          ))}
        </div>
      </details>
    </fieldset>
  );
}
