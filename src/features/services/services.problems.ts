import type { ModuleProblems } from '../../core/readings/problems.ts';
import type { Services } from './services.schema.ts';

export const servicesProblems: ModuleProblems<Services> = {
  announced: true,
  problems: {
    service_failed: {
      description: 'A unit of the machine, or of the user whose service this is, has failed',
      lacks: ({ manager }) => (manager === null ? 'nothing on this machine tells about its services' : null),
      find: ({ units }) =>
        units.flatMap(({ name, scope, active_state }) =>
          active_state === 'failed'
            ? [{ subject: name, text: `${name}${scope === 'user' ? ' of the user' : ''} failed` }]
            : [],
        ),
    },
  },
};
