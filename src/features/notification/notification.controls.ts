import type { ActionEntities } from '../../core/action.ts';
import { objectSent } from '../../core/readings/entities.ts';
import { isObject } from '../../lib/values.ts';

/** Length of one line; more goes below a title. */
const longestTitle = 200;

/** Names of the action's messages in Home Assistant. */
const eventTypes = new Map([
  ['NOTIFICATION_ACTION', 'pressed'],
  ['NOTIFICATION_CLOSED', 'closed'],
]);

export const notificationEntities: ActionEntities = {
  controls: () => [
    {
      key: 'notify',
      component: 'notify',
      name: 'Notification',
      icon: 'mdi:message-badge',
      // Plain text as the message, or a full notification as JSON.
      toInput(sent) {
        if (sent.trim() === '') return null;
        const whole = objectSent(sent);
        if (whole !== null) return whole;
        return sent.length <= longestTitle && !sent.includes('\n')
          ? { title: sent }
          : { title: 'Message', message: sent };
      },
    },
  ],
  shown: [
    {
      key: 'notification',
      component: 'event',
      name: 'Notification event',
      eventTypes: [...eventTypes.values()],
      icon: 'mdi:gesture-tap-button',
    },
  ],
  onMessage(type, data) {
    const happened = eventTypes.get(type);
    return happened === undefined || !isObject(data) ? null : { key: 'notification', type: happened, data };
  },
};
