import { cutTo } from './note.ts';
import { defineTarget } from './target.ts';

const priorities = { low: -1, normal: 0, high: 1, urgent: 2 };

/** https://pushover.net/api */
export const pushoverTarget = defineTarget({
  form: 'pover://USER_KEY@TOKEN[/DEVICE…], or pushover://shoutrrr:TOKEN@USER_KEY[/?devices=DEVICE,…]',
  parameters: ['devices', 'server'],
  open({ scheme, user, password, authority, path, query }) {
    const [token, key] = scheme === 'pover' ? [authority, user] : [password, authority];
    if (!/^\w{30}$/.test(token) || !/^\w{30}$/.test(key))
      throw new Error('the key of the user and the token of the application have 30 letters and digits each');
    const devices = [...path, ...(query.get('devices')?.split(',') ?? [])].filter(Boolean);
    const url = `${query.get('server') ?? 'https://api.pushover.net'}/1/messages.json`;
    return ({ title, text, priority, at }, { ask }) =>
      ask({
        url,
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({
          token,
          user: key,
          title: cutTo(title, 250),
          message: cutTo(text, 1024),
          priority: String(priorities[priority]),
          timestamp: String(Math.floor(at / 1000)),
          ...(devices.length > 0 ? { device: devices.join(',') } : {}),
          // Repeated every five minutes until acknowledged, for three hours.
          ...(priority === 'urgent' ? { retry: '300', expire: '10800' } : {}),
        }).toString(),
      });
  },
});
