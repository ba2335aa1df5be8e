import { messageOf } from '../../lib/errors.ts';
import { isNear } from '../../lib/near-host.ts';
import type { TargetAddress } from './address.ts';
import { cutTo, type TargetNote } from './note.ts';
import { SmtpRefusal, sendMail } from './smtp.ts';
import { defineTarget, refusedAnswer } from './target.ts';

const importance = { low: 'low', normal: 'normal', high: 'high', urgent: 'high' };
const xPriority = { low: 5, normal: 3, high: 2, urgent: 1 };
const mostRecipients = 20;

/** E-mail over SMTP, in the forms of Apprise (`mailto`) and Shoutrrr (`smtp`). */
export const mailTarget = defineTarget({
  form: 'mailtos://USER:PASSWORD@HOST[:PORT][/?smtp=SERVER&from=ADDRESS&to=ADDRESS,…&mode=ssl|starttls]',
  parameters: ['smtp', 'from', 'to', 'fromAddress', 'toAddresses', 'user', 'pass', 'name', 'mode'],
  server: ({ query, authority }) => query.get('smtp') ?? authority,
  open(address) {
    const { user, password, query } = address;
    const { host, port, encryption } = serverOf(address);
    const account = query.get('user') ?? user;
    const domain = address.authority.replace(/:\d+$/, '');
    const from = addressIn(
      query.get('from') ?? query.get('fromAddress') ?? (user.includes('@') ? user : `${user}@${domain}`),
    );
    const given = [query.get('to') ?? query.get('toAddresses') ?? '', ...address.path]
      .join(',')
      .split(',')
      .filter(Boolean);
    const to = given.length === 0 ? [from] : given.map(addressIn);
    if (to.length > mostRecipients) throw new Error(`it names more than ${mostRecipients} recipients`);
    const secret = query.get('pass') ?? password;
    const login = secret === '' ? null : { user: account, password: secret };
    const name = query.get('name') ?? '';
    return async (note, { connect, authorities, hostname, signal, timeoutMs }) => {
      const tls = { serverName: host, ca: authorities, certificate: null };
      const hello = /^[\w.-]+$/.test(hostname) ? hostname : 'localhost';
      const message = messageText(note, { name, from, to, hello });
      try {
        const order = { host, port, encryption, tls, login, hello, from, to, message, signal, timeoutMs };
        const { code, text } = await sendMail(connect, order);
        return { ok: true, answer: `${code} ${text}` };
      } catch (error) {
        if (!(error instanceof SmtpRefusal)) throw error;
        const { code, text } = error.reply;
        return { ...refusedAnswer(messageOf(error), `${code} ${text}`), retry: code < 500 };
      }
    };
  },
});

/** Clear text is allowed only without a password, in the own network. */
function serverOf({ scheme, password, authority, query }: TargetAddress) {
  const [, host = '', given] = /^(\[[\da-f:]+\]|[\w.-]+)(?::(\d{1,5}))?$/i.exec(query.get('smtp') ?? authority) ?? [];
  if (host === '') throw new Error('the name of its server is missing or not valid');
  const port = given ?? /:(\d{1,5})$/.exec(authority)?.[1];
  const mode = query.get('mode') ?? (port === '465' ? 'ssl' : scheme === 'mailtos' ? 'starttls' : 'insecure');
  if (!['ssl', 'starttls', 'insecure'].includes(mode)) throw new Error('its mode must be ssl or starttls');
  const mayBeClear = mode === 'insecure' && isNear(host) && password === '' && !query.has('pass');
  return {
    host: host.replace(/^\[|\]$/g, ''),
    port: Number(port ?? (mode === 'ssl' ? 465 : scheme === 'mailtos' ? 587 : 25)),
    encryption: mode === 'ssl' ? ('implicit' as const) : mayBeClear ? ('offered' as const) : ('required' as const),
  };
}

function addressIn(text: string): string {
  const address = text.trim();
  if (!/^[!#-'*+\-/-9=?A-Z^-~.]+@[\w.-]+$/.test(address))
    throw new Error('an address for e-mail is missing or not valid');
  return address;
}

function messageText(
  { id, title, text, priority, at }: TargetNote,
  { name, from, to, hello }: { name: string; from: string; to: readonly string[]; hello: string },
): string {
  const header = [
    `From: ${name === '' ? '' : `${encodedWords(name)} `}<${from}>`,
    `To: ${to.map((address) => `<${address}>`).join(',\r\n ')}`,
    `Subject: ${encodedWords(cutTo(title, 200))}`,
    `Date: ${new Date(at).toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${id}@${hello}>`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    'Auto-Submitted: auto-generated',
    `X-Priority: ${xPriority[priority]}`,
    `Importance: ${importance[priority]}`,
  ];
  const body =
    Buffer.from(`${text.replaceAll('\n', '\r\n')}\r\n`)
      .toString('base64')
      .match(/.{1,76}/g) ?? [];
  return [...header, '', ...body].join('\r\n');
}

/** RFC 2047, in words of at most 75 characters. */
function encodedWords(text: string): string {
  const words = [''];
  for (const letter of text)
    if (Buffer.byteLength(`${words.at(-1)}${letter}`) <= 45) words.push(`${words.pop()}${letter}`);
    else words.push(letter);
  return words.map((word) => `=?utf-8?B?${Buffer.from(word).toString('base64')}?=`).join('\r\n ');
}
