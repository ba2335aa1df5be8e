import type { ModuleProblems } from '../../core/readings/problems.ts';
import type { ContainerEntry, Containers } from './containers.schema.ts';

export const containersProblems: ModuleProblems<Containers> = {
  announced: true,
  problems: {
    container_failed: {
      description:
        'A container ended by itself with an error, ran out of memory, restarts all the time, or is unhealthy',
      // A machine without an engine has no container that could fail.
      lacks: ({ engines }) =>
        engines.length > 0 && engines.every(({ reachable }) => !reachable)
          ? (engines[0]?.problem ?? 'no container engine answers')
          : null,
      find: ({ containers }) =>
        containers.flatMap((container) => {
          const wrong = whatIsWrong(container);
          return wrong === null ? [] : [{ subject: container.name, text: `The container ${container.name} ${wrong}` }];
        }),
    },
  },
};

/** Of programs that were told to end: interrupted, killed, terminated. */
const endedByOthers = [130, 137, 143];

function whatIsWrong({ state, health, oom, exit_code }: ContainerEntry): string | null {
  if (state === 'restarting') return 'ends and is started again';
  if (state === 'running') return health === 'unhealthy' ? 'is unhealthy' : null;
  if (state !== 'exited' && state !== 'dead') return null;
  if (oom) return 'ran out of memory';
  if (exit_code === null || exit_code === 0 || endedByOthers.includes(exit_code)) return null;
  return `ended with the exit code ${exit_code}`;
}
