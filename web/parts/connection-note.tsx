import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { connection, lostAt, retryNow } from '../state/live.ts';
import { duration } from '../units.ts';

/** Says that what is shown is old, and how old. */
export function ConnectionNote() {
  const now = useSignal(Date.now());
  const lost = lostAt.value;
  useEffect(() => {
    if (lost === null) return;
    const timer = setInterval(() => {
      now.value = Date.now();
    }, 1000);
    return () => clearInterval(timer);
  }, [lost]);
  useEffect(() => {
    document.documentElement.classList.toggle('stale', lost !== null);
  }, [lost]);
  if (lost === null) return null;
  return (
    <p class="connection-note">
      <span role="alert">The connection to the service is lost.</span>{' '}
      <span>
        What is shown is {duration(Math.max(1, (now.value - lost) / 1000))} old.{' '}
        {connection.value.state === 'connecting' ? 'Trying…' : ''}
      </span>{' '}
      <button type="button" onClick={retryNow}>
        Try now
      </button>
    </p>
  );
}
