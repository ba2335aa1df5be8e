import { OrderRow } from '../../components/action-row.tsx';
import { session } from '../../state/session.ts';
import type { Process } from './process-tree.ts';

const orders = [
  {
    signal: 'terminate',
    label: 'End',
    text: 'The process is requested to end, and can save its work.',
    isFor: () => true,
  },
  {
    signal: 'kill',
    label: 'Kill',
    text: 'The process ends at once. Unsaved work is lost.',
    isFor: () => true,
  },
  {
    signal: 'stop',
    label: 'Stop',
    text: 'The process is suspended and does not respond until it is continued.',
    isFor: (status: string) => status !== 'stopped',
  },
  { signal: 'continue', label: 'Continue', text: 'The process continues where it was stopped.', isFor: isStopped },
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
