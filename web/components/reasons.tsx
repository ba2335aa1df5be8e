import { stateOf } from '../state/availability.ts';
import { EmptyBecause } from './empty.tsx';
import { Icon, type IconName } from './icon.tsx';
import { sentence, withoutCodes } from './reason-text.ts';

/** Placeholder of a module without data: the reason, or that it is loading. `icon`: of a view that shows nothing else. */
export function Absent({ module, icon }: { module: string; icon?: IconName | undefined }) {
  if (stateOf(module)?.availability !== 'unavailable') return <p class="quiet">Waiting for the first reading…</p>;
  return icon === undefined ? <Reasons module={module} /> : <Nothing module={module} icon={icon} />;
}

/** Placeholder of an empty view: the reason, and what to do about it. */
export function Nothing({ module, icon, fields = [] }: { module: string; icon: IconName; fields?: readonly string[] }) {
  const [reason = '', ...others] = reasonsOf(module, fields);
  if (reason !== '' && others.length === 0) return <EmptyBecause icon={icon} reason={reason} />;
  return (
    <section class="card empty">
      <Icon name={icon} />
      <Reasons module={module} fields={fields} />
    </section>
  );
}

/** Reasons of unknown fields of a module. */
export function Reasons({ module, fields = [] }: { module: string; fields?: readonly string[] }) {
  const reasons = reasonsOf(module, fields);
  if (reasons.length === 0) return null;
  if (reasons.length === 1) return <p class="reasons">{sentence(reasons[0] ?? '')}</p>;
  return (
    <ul class="reasons">
      {reasons.map((reason) => (
        <li key={reason}>{sentence(reason)}</li>
      ))}
    </ul>
  );
}

interface UnknownProps {
  module: string;
  /** Name, field and value of each figure. */
  of: readonly [name: string, field: string, value: unknown][];
}

/** The unknown figures of a card, with the reasons on demand. */
export function Unknown({ module, of }: UnknownProps) {
  const missing = of.filter(([, , value]) => value === null || value === undefined);
  if (stateOf(module) === undefined || missing.length === 0) return null;
  return (
    <details class="unknown">
      <summary>Unknown here: {missing.map(([name]) => name).join(', ')}</summary>
      <ul class="reasons">
        {missing.map(([name, field]) => (
          <li key={name}>
            <b>{name}</b>: {reasonsOf(module, [field]).join('; ') || 'the service reports no reason'}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Without duplicates. A reason of an object, such as `frequency`, applies to all its fields. */
export function reasonsOf(module: string, fields: readonly string[]): string[] {
  const covers = (field: string | null) =>
    field === null || fields.some((wanted) => wanted === field || wanted.startsWith(`${field}.`));
  const reasons = stateOf(module)?.reasons.filter(({ field }) => covers(field)) ?? [];
  return [...new Set(reasons.map(({ reason }) => withoutCodes(reason)))];
}

/** All missing values: those that the user can fix in full, the rest on demand. */
export function Absences({ modules }: { modules: readonly string[] }) {
  const absent = modules.flatMap((name) => {
    const state = stateOf(name);
    return state?.availability === 'unavailable' ? [state] : [];
  });
  const mendable = absent.flatMap(({ reasons }) => reasons.filter((each) => each.mendable).map(({ reason }) => reason));
  const rest = absent.filter(({ reasons }) => !reasons.some((each) => each.mendable));
  return (
    <>
      {mendable.length === 0 ? null : (
        <ul class="reasons absences">
          {[...new Set(mendable)].map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
      {rest.length === 0 ? null : (
        <details class="unknown" open={absent.length === modules.length}>
          <summary>Not on this machine: {rest.map(({ name }) => names[name] ?? name).join(', ')}</summary>
          <ul class="reasons">
            {rest.map(({ name, reasons }) => (
              <li key={name}>
                <b>{names[name] ?? name}</b>: {reasons.map(({ reason }) => reason).join('; ')}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

const names: Record<string, string> = { cpu: 'processor', gpus: 'graphics', networks: 'network', audio: 'sound' };
