import type { ActionEntities } from '../../core/action.ts';
import { buttonControl } from '../../core/readings/entities.ts';

/** The picture is the answer to the button, and goes to the client that pressed it only. */
export const screenEntities: ActionEntities = {
  controls: () => [buttonControl({ key: 'screenshot', name: 'Take screenshot', icon: 'mdi:monitor-screenshot' })],
  shown: [{ key: 'screen', component: 'image', name: 'Screen', icon: 'mdi:monitor' }],
};
