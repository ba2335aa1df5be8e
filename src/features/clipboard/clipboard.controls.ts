import type { ActionEntities } from '../../core/action.ts';

/** It can be set only: what is copied would be stored in the history of home automation. */
export const clipboardEntities: ActionEntities = {
  controls: () => [
    {
      key: 'clipboard',
      component: 'text',
      name: 'Clipboard',
      icon: 'mdi:clipboard-text',
      toInput: (sent) => ({ text: sent }),
    },
  ],
};
