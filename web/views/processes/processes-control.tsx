import { OrderRow } from '../../components/action-row.tsx';
import { session } from '../../state/session.ts';
import type { Process } from './process-tree.ts';

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

/** Actions of a process. They apply only to the process that was shown when the button was pressed. */
export function ProcessControl({ process }: { process: Process }) {
  if (session.value?.scopes.includes('processes') !== true) return null;
  const { id, start_time, name, status } = process;
  const given = orders
    .filter(({ isFor }) => isFor(status))
    .map(({ signal, label, text }) => ({
      event: 'PROCESS_SIGNAL',
      label,
      text,
      data: { id, start_time, signal },
      isGrave: signal === 'kill',
    }));
  return <OrderRow to={`${name} (${id})`} orders={given} />;
}
