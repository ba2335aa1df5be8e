import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Card } from '../../components/card.tsx';
import { confirmed } from '../../components/confirm.tsx';
import { EmptyBecause } from '../../components/empty.tsx';
import { Field, Switch } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { attempt } from '../../shell/announcements.tsx';
import { showFound } from '../../shell/found-place.ts';
import { parameter } from '../../shell/route.tsx';
import { obstacle, sharedObstacle } from '../../state/availability.ts';
import { dataOf, request } from '../../state/live.ts';
import { refreshStanding } from '../../state/status.ts';
import { duration } from '../../units.ts';
import { KeepAwakeCard, PowerProfileCard } from './keep-awake.tsx';
import { type PowerVerb, verbs } from './power-schedule.ts';

export function Power() {
  const delay = useSignal('0');
  const force = useSignal(false);
  const host = dataOf('system').value?.hostname ?? 'The machine';
  const nothing = sharedObstacle(verbs.map(({ verb }) => `POWER_${verb}`));
  const order = async ({ verb, title, text, asks }: PowerVerb) => {
    const seconds = Math.max(0, Math.min(3600, Number(delay.value) || 0));
    const when = seconds === 0 ? '' : ` in ${duration(seconds)}`;
    if (asks && !(await confirmed(`${title}: ${host}?`, `${host} ${text}${when}.`, title))) return;
    await attempt(async () => {
      const response = await request(`POWER_${verb}`, { delay: seconds, force: force.value });
      await refreshStanding();
      return response;
    }, `${title}: the order was accepted.`);
  };
  return (
    <>
      {nothing === null ? null : <EmptyBecause icon="power" reason={nothing} />}
      <div class="cards">
        {nothing === null ? (
          <Card title={`Power of ${host}`} icon="power" wide>
            <ul class="orders">
              {verbs.map((entry) => (
                <OrderLine key={entry.verb} entry={entry} host={host} send={() => order(entry)} />
              ))}
            </ul>
            <div class="form narrow">
              <Field label="Delay in seconds (up to 3600)" kind="number" min={0} max={3600} value={delay} />
              <Switch value={force}>Even if a program is blocking it</Switch>
            </div>
          </Card>
        ) : null}
        {nothing === null || obstacle('POWER_INHIBIT') === null ? <KeepAwakeCard /> : null}
        <PowerProfileCard />
      </div>
    </>
  );
}

interface OrderLineProps {
  entry: PowerVerb;
  host: string;
  send(): unknown;
}

function OrderLine({ entry: { verb, title, text, asks, icon }, host, send }: OrderLineProps) {
  const button = useRef<HTMLButtonElement>(null);
  const reason = obstacle(`POWER_${verb}`);
  const sought = parameter('order') === verb.toLowerCase();
  useEffect(() => {
    if (sought) showFound(button.current);
  }, [sought]);
  return (
    <li class={sought ? 'sought' : undefined}>
      <button
        type="button"
        ref={button}
        class={asks ? 'danger plain' : 'plain'}
        disabled={reason !== null}
        onClick={send}
      >
        <Icon name={icon} /> {title}
      </button>
      <span class="small">{reason ?? `${host} ${text}`}</span>
    </li>
  );
}
