import { useSignal } from '@preact/signals';
import { attempt } from '../parts/announce.tsx';
import { Card } from '../parts/card.tsx';
import { confirmed } from '../parts/confirm.tsx';
import { Field } from '../parts/field.tsx';
import { Order } from '../parts/order.tsx';
import { obstacle } from '../state/actions.ts';
import { dataOf, request } from '../state/live.ts';
import { duration } from '../units.ts';

const verbs = [
  { verb: 'LOCK', title: 'Lock', text: 'locks the session of the user', asks: false },
  { verb: 'SLEEP', title: 'Sleep', text: 'goes to sleep; it answers no more until somebody wakes it', asks: true },
  { verb: 'HIBERNATE', title: 'Hibernate', text: 'writes its memory to the disk and switches off', asks: true },
  { verb: 'LOGOUT', title: 'Log out', text: 'ends the session of the user; what was not saved is lost', asks: true },
  { verb: 'RESTART', title: 'Restart', text: 'restarts; what was not saved is lost', asks: true },
  { verb: 'SHUTDOWN', title: 'Shut down', text: 'switches off; what was not saved is lost', asks: true },
];

export function Power() {
  const delay = useSignal('0');
  const force = useSignal(false);
  const host = dataOf('system').value?.hostname ?? 'The machine';
  const order = async ({ verb, title, text, asks }: (typeof verbs)[number]) => {
    const seconds = Math.max(0, Math.min(3600, Number(delay.value) || 0));
    const when = seconds === 0 ? '' : ` in ${duration(seconds)}`;
    if (asks && !(await confirmed(`${title}: ${host}?`, `${host} ${text}${when}.`, title))) return;
    await attempt(() => request(`POWER_${verb}`, { delay: seconds, force: force.value }), `${title} was ordered.`);
  };
  return (
    <div class="cards">
      <Card title={`Power of ${host}`} wide>
        <div class="form">
          <Field label="Delay in seconds, up to an hour" kind="number" value={delay} />
          <label class="check">
            <input
              type="checkbox"
              checked={force.value}
              onChange={({ currentTarget }) => {
                force.value = currentTarget.checked;
              }}
            />
            Also when a program asks not to
          </label>
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
                <span class="small">{reason ?? `${host} ${entry.text}`}</span>
              </li>
            );
          })}
        </ul>
        <Order event="POWER_CANCEL" class="plain">
          Cancel what is waiting
        </Order>
      </Card>
    </div>
  );
}
