import { cutTo } from './note.ts';
import { defineTarget } from './target.ts';

/** https://core.telegram.org/bots/api#sendmessage; a Bot API server of one's own is named by `server`. */
export const telegramTarget = defineTarget({
  form: 'tgram://BOT_ID:TOKEN/CHAT[:TOPIC], or telegram://BOT_ID:TOKEN@telegram?chats=CHAT',
  parameters: ['chats', 'server'],
  open({ user, password, authority, path, query }) {
    const token = user === '' ? authority : `${user}:${password}`;
    const chats = [...path, ...(query.get('chats')?.split(',') ?? [])];
    const [, chat, topic] = /^(@?[\w-]+)(?::(\d+))?$/.exec(chats[0] ?? '') ?? [];
    if (!/^\d+:[\w-]+$/.test(token)) throw new Error('the token of the bot must have the form NUMBER:LETTERS');
    if (chat === undefined || chats.length !== 1) throw new Error('it must name one chat, by its number or @name');
    const url = `${query.get('server') ?? 'https://api.telegram.org'}/bot${token}/sendMessage`;
    const chatId = /^[@-]|^\d+$/.test(chat) ? chat : `@${chat}`;
    return ({ title, text, priority }, { ask }) =>
      ask({
        url,
        body: {
          chat_id: chatId,
          ...(topic === undefined ? {} : { message_thread_id: Number(topic) }),
          text: cutTo(`${title}\n${text}`, 4096),
          disable_notification: priority === 'low',
        },
      });
  },
});
