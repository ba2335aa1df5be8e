import type { ActionEntities } from '../../core/action.ts';
import { objectSent } from '../../core/readings/entities.ts';
import { isObject } from '../../lib/values.ts';

/** What a line of text can be shown as; more goes below a title. */
const longestTitle = 200;

/** What Home Assistant calls what the action told. */
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
      // Plain text, as the sender of a message sends it, or everything that a notification can have as JSON.
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
  onTold(type, data) {
    const happened = eventTypes.get(type);
    return happened === undefined || !isObject(data) ? null : { key: 'notification', type: happened, data };
  },
};
