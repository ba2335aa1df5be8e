import { signal, useSignal } from '@preact/signals';
import type { PowerOutput } from '../../src/actions/power/power.schema.ts';
import { attempt } from '../parts/announce.tsx';
import { Card } from '../parts/card.tsx';
import { confirmed } from '../parts/confirm.tsx';
import { Check, Field } from '../parts/field.tsx';
import { obstacle, sharedObstacle } from '../state/availability.ts';
import { useMachineTime } from '../state/clock.ts';
import { dataOf, request } from '../state/live.ts';
import { duration } from '../units.ts';

const verbs = [
  { verb: 'LOCK', title: 'Lock', text: "locks the user's session", asks: false },
  { verb: 'SLEEP', title: 'Sleep', text: 'goes to sleep; it cannot be reached until woken', asks: true },
  { verb: 'HIBERNATE', title: 'Hibernate', text: 'saves its memory to disk and powers off', asks: true },
  { verb: 'LOGOUT', title: 'Log out', text: "ends the user's session; unsaved work is lost", asks: true },
  { verb: 'RESTART', title: 'Restart', text: 'restarts; unsaved work is lost', asks: true },
  { verb: 'SHUTDOWN', title: 'Shut down', text: 'powers off; unsaved work is lost', asks: true },
];

type Verb = (typeof verbs)[number];

/** What this page ordered with a delay; it is still there when one comes back to the view. */
const waiting = signal<{ title: string; at: number } | null>(null);

export function Power() {
  const delay = useSignal('0');
  const force = useSignal(false);
  const host = dataOf('system').value?.hostname ?? 'The machine';
  const nothing = sharedObstacle(verbs.map(({ verb }) => `POWER_${verb}`));
  const order = async ({ verb, title, text, asks }: Verb) => {
    const seconds = Math.max(0, Math.min(3600, Number(delay.value) || 0));
    const when = seconds === 0 ? '' : ` in ${duration(seconds)}`;
    if (asks && !(await confirmed(`${title}: ${host}?`, `${host} ${text}${when}.`, title))) return;
    await attempt(async () => {
      const answer = await request(`POWER_${verb}`, { delay: seconds, force: force.value });
      if (seconds > 0) waiting.value = { title, at: Date.parse((answer.data as PowerOutput).at) / 1000 };
      return answer;
    }, `${title}: the order was accepted.`);
  };
  return (
    <div class="cards">
      <Card title={`Power of ${host}`} wide>
        {nothing === null ? null : <p class="reasons">{nothing}</p>}
        <div class="form">
          <Field label="Delay in seconds (up to 3600)" kind="number" min={0} max={3600} value={delay} />
          <Check label="Even if a program is blocking it" value={force} />
        </div>
        <ul class="orders">
          {verbs.map((entry) => {
            const reason = obstacle(`POWER_${entry.verb}`);
            return (
              <li key={entry.verb}>
                <button
                  type="button"
                  class={entry.asks ? 'danger' : ''}
                  disabled={reason !== null}
                  onClick={() => order(entry)}
                >
                  {entry.title}
                </button>
                <span class="small">{nothing === null && reason !== null ? reason : `${host} ${entry.text}`}</span>
              </li>
            );
          })}
        </ul>
        <Waiting />
        <p>
          <button type="button" class="plain" disabled={obstacle('POWER_CANCEL') !== null} onClick={cancel}>
            Cancel the pending order
          </button>
        </p>
      </Card>
    </div>
  );
}

function Waiting() {
  const order = waiting.value;
  const now = useMachineTime(order === null ? null : 1000);
  if (order === null || now > order.at) return null;
  return (
    <p class="notice">
      {order.title} in {duration(Math.max(1, order.at - now))}
    </p>
  );
}

const cancel = () =>
  attempt(async () => {
    const answer = await request('POWER_CANCEL');
    waiting.value = null;
    return answer;
  }, 'Cancelled.');
