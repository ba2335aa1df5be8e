import type { ModulePayloads } from '@hostler/client/client.ts';
import { capitalised } from '../../src/lib/capitalised.ts';
import { Card } from '../components/card.tsx';
import { Empty } from '../components/empty.tsx';
import { type Fact, Facts } from '../components/fact-list.tsx';
import type { IconName } from '../components/icon.tsx';
import { When } from '../components/time.tsx';
import { Link } from '../shell/route.tsx';
import { obstacle } from '../state/availability.ts';
import { AlertTargets, TestButton, wayTitle } from './alert-targets.tsx';

type Alert = ModulePayloads['alerts']['alerts'][number];

const states: Record<Alert['state'], { title: string; icon: IconName }> = {
  active: { title: 'Active', icon: 'warning' },
  pending: { title: 'Pending', icon: 'clock' },
  unknown: { title: 'Unknown', icon: 'info' },
  ok: { title: 'OK', icon: 'bell' },
  off: { title: 'Off', icon: 'pause' },
};
const order = Object.keys(states);

/** The alert rules; active ones come first. */
export function Alerts({ data: { alerts } }: { data: ModulePayloads['alerts'] }) {
  if (alerts.length === 0)
    return (
      <>
        <Empty icon="bell" sentence="No alert rules are configured yet.">
          Add a rule under <Link to="/settings?setting=alerts.rules">Settings, Alerts and history</Link>, for example
          for a value that gets too high or a disk that is full.
        </Empty>
        <AlertTargets />
      </>
    );
  const sorted = alerts.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
  return (
    <>
      <div class="cards">
        {sorted.map((alert) => (
          <AlertCard key={alert.id} alert={alert} />
        ))}
      </div>
      <p>
        <Link to="/settings?setting=alerts.rules">Edit the rules</Link>
      </p>
      <AlertTargets />
    </>
  );
}

function AlertCard({ alert }: { alert: Alert }) {
  const { id, name, state, since, condition, text, reason, quiet, notify } = alert;
  const why = obstacle('TEST_ALERT');
  return (
    <Card title={name} icon={states[state].icon} figure={states[state].title} class={`alert-${state}`}>
      {text === '' && reason === null ? null : <p>{sentence(text === '' ? (reason ?? '') : text)}</p>}
      <Facts
        of={[
          ['Condition', condition],
          ['Since', <When at={since * 1000} />],
          ...notify.map((way): Fact => [wayTitle(way.way), <NotifyState way={way} />]),
        ]}
      />
      {quiet ? <p class="small">Quiet time: no notifications are sent until it ends.</p> : null}
      {notify.length === 0 ? <p class="small">No notifications are sent; the alert is only shown here.</p> : null}
      {notify.length === 0 || state === 'off' || why !== null ? null : (
        <p class="buttons">
          <TestButton id={id} label={`Send a test of ${name}`} />
        </p>
      )}
    </Card>
  );
}

/** Capitalises a sentence, unless it begins with a name. */
const sentence = (text: string) => `${text.replace(/^(?:the|there|it)\b/, capitalised)}.`;

function NotifyState({ way: { state, told: sentAt, error } }: { way: Alert['notify'][number] }) {
  if (error !== null)
    return <span class="problem">{state === 'failed' ? error : `${error}; it will be tried again`}</span>;
  if (state === 'waiting') return <>waiting</>;
  return sentAt === null ? (
    <>nothing sent yet</>
  ) : (
    <>
      sent <When at={sentAt * 1000} />
    </>
  );
}
