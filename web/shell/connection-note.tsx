import { useEffect } from 'preact/hooks';
import { useTime } from '../state/clock.ts';
import { connection, lostAt, retryNow } from '../state/live.ts';
import { duration } from '../units.ts';

export function ConnectionNote() {
  const lost = lostAt.value;
  useEffect(() => {
    document.documentElement.classList.toggle('stale', lost !== null);
    return () => document.documentElement.classList.remove('stale');
  }, [lost]);
  if (lost === null) return null;
  return (
    <p class="connection-note">
      <span role="alert">The connection to the service was lost.</span> <Age since={lost} />{' '}
      <button type="button" onClick={retryNow}>
        Reconnect
      </button>
    </p>
  );
}

/** Outside the alert, so that screen readers do not repeat it every second. */
function Age({ since }: { since: number }) {
  const now = useTime(1000);
  return (
    <span>
      The data shown is {duration(Math.max(1, (now - since) / 1000))} old.{' '}
      {connection.value.state === 'connecting' ? 'Reconnecting…' : ''}
    </span>
  );
}
