import { attempt } from '../parts/announce.tsx';
import { confirmed } from '../parts/confirm.tsx';
import { obstacle } from '../state/availability.ts';
import { request } from '../state/live.ts';
import type { Process } from '../state/process-tree.ts';
import { session } from '../state/session.ts';

const orders = [
  {
    signal: 'terminate',
    label: 'End',
    text: 'It is asked to end, and can still save its work.',
    isFor: () => true,
  },
  {
    signal: 'kill',
    label: 'Kill',
    text: 'It ends at once. Anything it has not saved is lost.',
    isFor: () => true,
  },
  {
    signal: 'stop',
    label: 'Stop',
    text: 'It halts where it is and does not respond until it is continued.',
    isFor: (status: string) => status !== 'stopped',
  },
  { signal: 'continue', label: 'Continue', text: 'It goes on where it was stopped.', isFor: isStopped },
] as const;

function isStopped(status: string): boolean {
  return status === 'stopped';
}

/** What can be done to a process, for those who may. It is the one that was shown when the button was pressed, or none. */
export function ProcessControl({ process }: { process: Process }) {
  if (session.value?.scopes.includes('processes') !== true) return null;
  const reason = obstacle('PROCESS_SIGNAL');
  const order = async ({ signal, label, text }: (typeof orders)[number]) => {
    const { id, start_time, name } = process;
    if (!(await confirmed(`${label} ${name} (${id})?`, text, label))) return;
    await attempt(() => request('PROCESS_SIGNAL', { id, start_time, signal }));
  };
  return (
    <p class="buttons">
      {orders
        .filter(({ isFor }) => isFor(process.status))
        .map((each) => (
          <button
            key={each.signal}
            type="button"
            class={each.signal === 'kill' ? 'danger plain' : 'plain'}
            disabled={reason !== null}
            title={reason ?? undefined}
            onClick={() => order(each)}
          >
            {each.label}
          </button>
        ))}
    </p>
  );
}
