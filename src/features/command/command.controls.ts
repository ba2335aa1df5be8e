import type { ActionEntities } from '../../core/action.ts';
import { buttonControl, uniqueKeys } from '../../core/readings/entities.ts';

/** The end of its output; the action returns all of it. */
const longestOutput = 4096;

export const commandEntities: ActionEntities = {
  controls: ({ commands: { allowlist } }) =>
    uniqueKeys(allowlist, ({ id }) => id).map(([key, { id, name }]) =>
      buttonControl({ key: `command_${key}`, name, icon: 'mdi:console' }, { commandID: id }),
    ),
  shown: [
    {
      key: 'command_finished',
      component: 'event',
      name: 'Command finished',
      eventTypes: ['finished'],
      icon: 'mdi:console',
    },
  ],
  onDone({ data }) {
    if (typeof data !== 'object' || data === null) return null;
    const { stdout, stderr, ...rest } = { stdout: '', stderr: '', ...data };
    const end = (text: unknown) => String(text).slice(-longestOutput);
    return { key: 'command_finished', type: 'finished', data: { ...rest, stdout: end(stdout), stderr: end(stderr) } };
  },
};
