import { useEffect } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { useMachineTime } from '../state/clock.ts';
import { session } from '../state/session.ts';
import { cancelOrder, pausedControl, pendingOrder, refreshStanding, resumeControl } from '../state/status.ts';
import { clockTime, momentOf } from '../units.ts';
import { verbs } from '../views/power/power-schedule.ts';
import { attempt } from './announcements.tsx';

/** Above every view: the pending power action with the remaining time, and a pause of control. */
export function StandingNotes() {
  return (
    <>
      <PendingOrder />
      <PausedControl />
    </>
  );
}

function PendingOrder() {
  const order = pendingOrder.value;
  const now = useMachineTime(order === null ? null : 1000);
  const left = order === null ? 0 : Date.parse(order.at) / 1000 - now;
  const isDue = order !== null && left <= 0;
  useEffect(() => {
    if (isDue) void refreshStanding();
  }, [isDue]);
  if (order === null || isDue) return null;
  return (
    <section class="pending" aria-label="Pending order">
      <p>
        <Icon name="power" /> {verbs.find(({ verb }) => verb.toLowerCase() === order.action)?.title ?? order.action} in{' '}
        <span role="timer">{clockTime(Math.max(1, left))}</span>{' '}
        <span class="small">ordered with the token {order.token}</span>
      </p>
      <button type="button" onClick={() => attempt(cancelOrder)}>
        Cancel
      </button>
    </section>
  );
}

function PausedControl() {
  const paused = pausedControl.value;
  if (paused === null) return null;
  const isFar = paused.until !== null && Date.parse(paused.until) - Date.now() > 12 * 3_600_000;
  const mayResume = session.value?.scopes.includes('admin') === true;
  return (
    <section class="pending quietly" aria-label="Control is paused">
      <p>
        <Icon name="pause" /> Control is paused{' '}
        {paused.until === null
          ? 'until it is resumed'
          : `until ${momentOf(Date.parse(paused.until) / 1000, 'minute', isFar)}`}
        . <span class="small">Actions are refused; reading goes on.</span>
      </p>
      {mayResume ? (
        <button type="button" onClick={() => attempt(resumeControl)}>
          Resume control
        </button>
      ) : null}
    </section>
  );
}
