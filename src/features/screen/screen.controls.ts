import type { ActionEntities } from '../../core/action.ts';

/** The picture is the answer to the button, and goes to the client that pressed it only. */
export const screenEntities: ActionEntities = {
  controls: () => [
    {
      key: 'screenshot',
      component: 'button',
      name: 'Take screenshot',
      icon: 'mdi:monitor-screenshot',
      toInput: (sent) => (sent === 'PRESS' ? {} : null),
    },
  ],
  shown: [{ key: 'screen', component: 'image', name: 'Screen', icon: 'mdi:monitor' }],
};
