import { basicAuth, originOf } from './address.ts';
import { cutTo } from './note.ts';
import { defineTarget } from './target.ts';

const priorities = { low: 2, normal: 3, high: 4, urgent: 5 };
const tags = { begun: 'warning', ended: 'white_check_mark', test: 'information_source' };

/** https://docs.ntfy.sh/publish/#publish-as-json */
export const ntfyTarget = defineTarget({
  form: 'ntfys://[USER:PASSWORD@|TOKEN@]HOST[:PORT]/TOPIC, or ntfy://TOPIC for ntfy.sh',
  server: ({ authority, path }) => (path.length === 0 ? '' : authority),
  open(address) {
    const { scheme, user, password, authority, path } = address;
    // The form without a server is that of Apprise.
    const [topic, ...rest] = path.length === 0 ? [authority] : path;
    if (topic === undefined || !/^[-\w]{1,64}$/.test(topic) || rest.length > 0)
      throw new Error('it must name one topic: letters, digits, _ and -, at most 64');
    const url = path.length === 0 ? 'https://ntfy.sh' : originOf(address, scheme === 'ntfys');
    const token = password === '' || user === '' ? user || password : '';
    const authorization = token === '' ? basicAuth(user, password) : `Bearer ${token}`;
    const headers: Record<string, string> = user + password === '' ? {} : { Authorization: authorization };
    return ({ title, text, priority, kind }, { ask }) =>
      ask({
        url: `${url}/`,
        headers,
        body: {
          topic,
          title: cutTo(title, 250),
          message: cutTo(text, 1300),
          priority: priorities[priority],
          tags: [tags[kind]],
        },
      });
  },
});
