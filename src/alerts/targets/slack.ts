import { cutTo } from './note.ts';
import { defineTarget, refusedAnswer } from './target.ts';

const colors = { begun: '#d64545', ended: '#3aa657', test: '#4a7ebb' };
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Incoming webhooks, and https://docs.slack.dev/reference/methods/chat.postMessage with the token of a bot. */
export const slackTarget = defineTarget({
  form: 'slack://[NAME@]A/B/C of an incoming webhook, slack://TOKEN/CHANNEL of a bot, or slack://hook:A-B-C@webhook',
  parameters: ['server'],
  open({ user, password, authority, path, query }) {
    const isShoutrrr = password !== '';
    const bot = isShoutrrr ? `${user}-${password}` : authority;
    const isBot = /^xox[bp]-/.test(bot);
    const channel = isShoutrrr ? authority : path[0];
    const parts = isShoutrrr ? password.split('-') : [authority, ...path];
    const isChannel = channel !== undefined && (isShoutrrr || path.length === 1);
    if (isBot ? !isChannel : parts.length !== 3 || parts.some((part) => !/^\w+$/.test(part)))
      throw new Error('it must name the three parts of a webhook, or a token and one channel');
    const server = query.get('server');
    const url = isBot
      ? `${server ?? 'https://slack.com'}/api/chat.postMessage`
      : `${server ?? 'https://hooks.slack.com'}/services/${parts.join('/')}`;
    const name = isShoutrrr || user === '' ? {} : { username: user };
    return async ({ title, text, kind }, { ask }) => {
      const attachment = { title: escaped(title), text: escaped(cutTo(text, 3000)), color: colors[kind] };
      const body = { ...name, text: '', attachments: [{ ...attachment, fallback: attachment.title }] };
      const headers = { Authorization: `Bearer ${bot}` };
      const answer = await ask(isBot ? { url, headers, body: { ...body, channel } } : { url, body });
      // A bot learns of errors by the body, with the status 200.
      const problem = isBot && answer.ok ? problemIn(answer.answer) : null;
      return problem === null ? answer : refusedAnswer(`it answered ${problem}`, answer.answer);
    };
  },
});

function problemIn(answer: string): string | null {
  try {
    const { ok, error } = JSON.parse(answer) as { ok?: unknown; error?: unknown };
    return ok === false && typeof error === 'string' && /^\w{1,100}$/.test(error) ? error : null;
  } catch {
    return null;
  }
}
