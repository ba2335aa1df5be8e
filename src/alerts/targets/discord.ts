import { cutTo } from './note.ts';
import { defineTarget } from './target.ts';

/** Delivers a message without a sound. */
const SUPPRESS_NOTIFICATIONS = 1 << 12;

/** A name in the text must not be a link with another caption, or a heading. */
const plain = (text: string) => text.replace(/[\\*_~`|#<>[\]]/g, '\\$&');

/** https://docs.discord.com/developers/resources/webhook#execute-webhook */
export const discordTarget = defineTarget({
  form: 'discord://[NAME@]WEBHOOK_ID/TOKEN[?thread=ID], or discord://TOKEN@WEBHOOK_ID',
  parameters: ['thread', 'thread_id', 'server'],
  open({ user, authority, path, query }) {
    const token = path[0] ?? user;
    if (!/^\d+$/.test(authority) || path.length > 1 || !/^[\w-]+$/.test(token))
      throw new Error('it must name the number and the token of a webhook');
    const thread = query.get('thread') ?? query.get('thread_id');
    const search = `?wait=true${thread === undefined ? '' : `&thread_id=${encodeURIComponent(thread)}`}`;
    const url = `${query.get('server') ?? 'https://discord.com'}/api/webhooks/${authority}/${token}${search}`;
    return ({ title, text, priority }, { ask }) =>
      ask({
        url,
        body: {
          content: cutTo(`${plain(title)}\r\n${plain(text)}`, 2000),
          // Names in the text notify no one.
          allowed_mentions: { parse: [] },
          ...(priority === 'low' ? { flags: SUPPRESS_NOTIFICATIONS } : {}),
          ...(path[0] !== undefined && user !== '' ? { username: user } : {}),
        },
      });
  },
});
