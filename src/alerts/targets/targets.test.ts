import { describe, expect, test } from 'bun:test';
import { isNear } from '../../lib/near-host.ts';
import type { AlertMessage } from '../notification.ts';
import { parseTargetAddress, secretParts, withoutParts } from './address.ts';
import { noteAbout } from './note.ts';
import type { TargetAnswer, TargetRequest } from './target.ts';
import { openAlertTarget, shownTarget } from './targets.ts';

const at = new Date(2026, 0, 15, 12, 0).getTime();
const message = (given: Partial<AlertMessage> = {}): AlertMessage => ({
  id: 'msg_1_begun',
  type: 'alert.begun',
  at,
  alert: {
    id: 'hot',
    name: 'Hot & busy',
    condition: 'Processor above 90 %',
    text: 'Processor is at 97.2 %, above 90 %',
    value: 97.2,
    threshold: 90,
    unit: 'percent',
    since: at,
  },
  machine: 'nas',
  priority: 'normal',
  ...given,
});
const title = 'nas: Alert: Hot & busy';
const text = 'Hot & busy: Processor is at 97.2 %, above 90 %, on nas since 2026-01-15 12:00.';
const key = 'k'.repeat(30);
const token = 't'.repeat(30);

async function requestsOf(
  url: string,
  given: Partial<AlertMessage> = {},
  body = '',
  answers: Partial<TargetAnswer>[] = [],
) {
  const asked: TargetRequest[] = [];
  const { send } = await openAlertTarget(url);
  const outcome = await send(noteAbout([message(given)]), {
    async ask(request) {
      asked.push(request);
      return { ok: true, answer: '', ...answers[asked.length - 1] } as TargetAnswer;
    },
    connect: () => Promise.reject(new Error('not expected')),
    authorities: null,
    hostname: 'nas',
    body,
    signal: new AbortController().signal,
    timeoutMs: 1000,
  });
  return { asked, outcome };
}

describe('the request of', () => {
  test.each([
    ['ntfys://ntfy.example/topic', 'https://ntfy.example/', {}],
    ['ntfy://10.0.0.5:8080/topic', 'http://10.0.0.5:8080/', {}],
    ['ntfy://topic', 'https://ntfy.sh/', {}],
    ['ntfys://tk_secret@ntfy.example/topic', 'https://ntfy.example/', { Authorization: 'Bearer tk_secret' }],
    ['ntfys://:tk_secret@ntfy.example/topic', 'https://ntfy.example/', { Authorization: 'Bearer tk_secret' }],
    [
      'ntfys://anna:pa%40ss@ntfy.example/topic',
      'https://ntfy.example/',
      { Authorization: `Basic ${btoa('anna:pa@ss')}` },
    ],
  ])('ntfy: %s', async (given, url, headers) => {
    const { asked } = await requestsOf(given, { priority: 'urgent' });
    const body = { topic: 'topic', title, message: text, priority: 5, tags: ['warning'] };
    expect(asked).toEqual([{ url, headers, body }]);
  });

  test.each([
    ['gotifys://push.example/A1b2', 'https://push.example/message'],
    ['gotify://localhost:8080/below/this/A1b2', 'http://localhost:8080/below/this/message'],
  ])('Gotify: %s', async (given, url) => {
    const { asked } = await requestsOf(given, { priority: 'high' });
    expect(asked).toEqual([{ url, headers: { 'X-Gotify-Key': 'A1b2' }, body: { title, message: text, priority: 8 } }]);
  });

  test.each([
    ['tgram://123456:AbC-d_e/-1009', { chat_id: '-1009' }],
    ['tgram://123456:AbC-d_e/-1009:7', { chat_id: '-1009', message_thread_id: 7 }],
    ['telegram://123456:AbC-d_e@telegram?chats=@ops', { chat_id: '@ops' }],
    ['telegram://123456:AbC-d_e@telegram/?chats=ops', { chat_id: '@ops' }],
  ])('Telegram: %s', async (given, chat) => {
    const { asked } = await requestsOf(given, { priority: 'low' });
    const url = 'https://api.telegram.org/bot123456:AbC-d_e/sendMessage';
    expect(asked).toEqual([{ url, body: { ...chat, text: `${title}\n${text}`, disable_notification: true } }]);
  });

  test.each([
    ['slack://T0A/B0B/ccc', {}],
    ['slack://hostler@T0A/B0B/ccc', { username: 'hostler' }],
    ['slack://hook:T0A-B0B-ccc@webhook', {}],
  ])('a webhook of Slack: %s', async (given, name) => {
    const { asked } = await requestsOf(given);
    const escaped = 'nas: Alert: Hot &amp; busy';
    const attachment = { title: escaped, text: text.replace('&', '&amp;'), color: '#d64545', fallback: escaped };
    const body = { ...name, text: '', attachments: [attachment] };
    expect(asked).toEqual([{ url: 'https://hooks.slack.com/services/T0A/B0B/ccc', body }]);
  });

  test.each(['slack://xoxb-1-2-abc/C024BE91L', 'slack://xoxb:1-2-abc@C024BE91L'])(
    'a bot of Slack: %s',
    async (given) => {
      const { asked, outcome } = await requestsOf(given, {}, '', [
        { answer: '{"ok":false,"error":"channel_not_found"}' },
      ]);
      expect(asked[0]?.url).toBe('https://slack.com/api/chat.postMessage');
      expect(asked[0]?.headers).toEqual({ Authorization: 'Bearer xoxb-1-2-abc' });
      expect(asked[0]?.body).toMatchObject({ channel: 'C024BE91L' });
      expect(outcome).toMatchObject({ ok: false, retry: false, error: 'it answered channel_not_found' });
    },
  );

  test.each([
    ['discord://1234/tok-en', '?wait=true', {}],
    ['discord://tok-en@1234', '?wait=true', {}],
    ['discord://hostler@1234/tok-en?thread=9', '?wait=true&thread_id=9', { username: 'hostler' }],
  ])('Discord: %s', async (given, search, name) => {
    const { asked } = await requestsOf(given, { priority: 'low' });
    const body = { content: `${title}\r\n${text}`, allowed_mentions: { parse: [] }, flags: 4096, ...name };
    expect(asked).toEqual([{ url: `https://discord.com/api/webhooks/1234/tok-en${search}`, body }]);
  });

  test.each([
    [`pover://${key}@${token}/phone/desk`, { device: 'phone,desk' }],
    [`pushover://shoutrrr:${token}@${key}/?devices=phone`, { device: 'phone' }],
    [`pover://${key}@${token}`, {}],
  ])('Pushover: %s', async (given, device) => {
    const { asked } = await requestsOf(given, { priority: 'urgent' });
    expect(asked[0]?.url).toBe('https://api.pushover.net/1/messages.json');
    expect(asked[0]?.headers).toEqual({ 'Content-Type': 'application/x-www-form-urlencoded' });
    expect(Object.fromEntries(new URLSearchParams(String(asked[0]?.body)))).toEqual({
      ...{ token, user: key, title, message: text, priority: '2', retry: '300', expire: '10800' },
      timestamp: String(at / 1000),
      ...device,
    });
  });

  test('Matrix, with a token: joins the room and sends with an id of its own', async () => {
    const { asked } = await requestsOf('matrixs://syt_token@m.example/#ops:m.example', {}, '', [
      { answer: '{"room_id":"!r:m.example"}' },
    ]);
    const headers = { Authorization: 'Bearer syt_token' };
    const url = 'https://m.example/_matrix/client/v3';
    expect(asked).toEqual([
      { url: `${url}/join/%23ops%3Am.example`, headers, body: {} },
      {
        method: 'PUT',
        url: `${url}/rooms/!r%3Am.example/send/m.room.message/msg_1_begun`,
        headers,
        body: { msgtype: 'm.text', body: `${title}\n${text}` },
      },
    ]);
  });

  test('Matrix, with a password: signs in and out, also if the room refuses', async () => {
    const answers = [{ answer: '{"access_token":"abc"}' }, { ok: false, retry: false, error: 'it answered 403' }];
    const { asked, outcome } = await requestsOf('matrix://anna:word@10.0.0.2:8008/!r:home', {}, '', answers as never);
    expect(asked.map(({ url }) => url.replace('http://10.0.0.2:8008/_matrix/client/v3', ''))).toEqual([
      '/login',
      '/join/!r%3Ahome',
      '/logout',
    ]);
    expect(asked[0]?.body).toEqual({
      type: 'm.login.password',
      identifier: { type: 'm.id.user', user: 'anna' },
      password: 'word',
    });
    expect(asked[2]?.headers).toEqual({ Authorization: 'Bearer abc' });
    expect(outcome).toMatchObject({ ok: false, error: 'it answered 403' });
  });

  test('JSON: the form of Apprise, with headers and a method of the URL', async () => {
    const { asked } = await requestsOf('jsons://u:p@x.example/a/b?method=put&+X-Key=abc&room=1', { priority: 'high' });
    expect(asked).toEqual([
      {
        method: 'PUT',
        url: 'https://x.example/a/b?room=1',
        headers: { Authorization: `Basic ${btoa('u:p')}`, 'X-Key': 'abc' },
        body: { version: '1.0', title, message: text, attachments: [], type: 'failure' },
      },
    ]);
  });

  test('Discord: a name with marks of Markdown is shown as it is', async () => {
    const alert = { ...message().alert, text: '[Update](https://evil.example) **now**' };
    const { asked } = await requestsOf('discord://1234/tok-en', { alert });
    expect(asked[0]?.body).toMatchObject({
      content: expect.stringContaining('\\[Update\\](https://evil.example) \\*\\*now\\*\\*'),
    });
  });

  test.each([
    ['application/x-www-form-urlencoded', '%26To%3Deve%20%3Cb%3E'],
    ['text/html', '&#38;To=eve &#60;b&#62;'],
    ['application/json', '&To=eve <b>'],
    ['text/plain', '&To=eve <b>'],
  ])('a template of %s: a value stays in its place', async (type, shown) => {
    const alert = { ...message().alert, text: '&To=eve <b>' };
    const url = `jsons://x.example/?+Content-Type=${encodeURIComponent(type)}`;
    const { asked } = await requestsOf(url, { alert }, 'Body={{message}}');
    expect(asked[0]?.body).toContain(shown);
  });

  test('a template: values are escaped in JSON and not in text, unknown names stay', async () => {
    const quoted = { alert: { ...message().alert, text: 'a "b"\n' } };
    const template = '{"t": "{{message}}", "v": {{value}}, "x": "{{unknown}}"}';
    const { asked } = await requestsOf('jsons://x.example/', quoted, template);
    expect(JSON.parse(String(asked[0]?.body))).toEqual({
      t: expect.stringContaining('a "b"\n'),
      v: 97.2,
      x: '{{unknown}}',
    });
    const plain = await requestsOf('jsons://x.example/?+Content-Type=text/plain', quoted, '{{message}}');
    expect(plain.asked[0]?.body).toContain('a "b"\n');
  });
});

test.each([
  ['nothing', 'begins with one of ntfy://'],
  ['https://hooks.example/secret', 'begins with one of ntfy://'],
  ['ntfy://ntfy.example/topic', 'not encrypted'],
  ['ntfys://ntfy.example/a/b', 'must name one topic'],
  ['ntfys://ntfy.example/topic?x=secret', 'the parameter x is not known'],
  ['gotifys://push.example', 'the token of the application is missing'],
  ['gotify://169.254.169.254/secret', 'not encrypted'],
  ['tgram://secret/1', 'the token of the bot'],
  ['tgram://1:secret', 'must name one chat'],
  ['tgram://1:secret/5?server=http://evil.example', 'its server must be'],
  ['tgram://1:secret/5?server=https://u:p@evil.example', 'its server must be'],
  ['slack://secret', 'the three parts'],
  ['discord://secret/abc', 'the number and the token'],
  ['pover://secret@short', '30 letters'],
  ['matrixs://m.example/!r:m', 'an access token'],
  ['matrixs://secret@m.example', 'must name one room'],
  ['mailtos://secret', 'an address for e-mail'],
  ['mailtos://u:secret@mail.example?to=a%0d%0ab@x', 'an address for e-mail'],
  ['mailtos://u:secret@mail.example?mode=plain', 'its mode must be'],
  ['jsons://x.example/?method=DELETE', 'its method must be'],
  ['jsons://x.example/?+A%0AB=secret', 'one of its headers is not valid'],
  ['jsons://x.example/?+A=a%0Asecret', 'one of its headers is not valid'],
  ['gotifys://push.example@evil/..%2f%ff', 'begins with one of'],
])('the URL %s is refused without being repeated', async (url, reason) => {
  const error = await openAlertTarget(url).then(
    () => null,
    (thrown: Error) => thrown.message,
  );
  expect(error).toContain(reason);
  expect(error).not.toContain('secret');
});

test.each([
  ['ntfys://anna:word@ntfy.example:8443/topic', 'ntfys://ntfy.example:8443/…'],
  ['ntfy://secret-topic', 'ntfy://…'],
  ['discord://1234/token', 'discord://…'],
  ['tgram://1:token/5', 'tgram://…'],
  [`pover://${key}@${token}`, 'pover://…'],
  ['mailtos://anna:word@mail.example', 'mailtos://mail.example/…'],
])('of %s only scheme and server are shown', async (url, shown) => {
  const opened = await openAlertTarget(url);
  expect(shownTarget(opened)).toBe(shown);
  for (const part of secretParts(opened.address, opened.server)) expect(shown).not.toContain(part);
});

test('a login that the server repeats in its answer is hidden as well', () => {
  const address = parseTargetAddress('jsons://anna:hunter22@h.example/x?+X-Key=topsecret');
  const parts = address === null ? [] : secretParts(address, 'h.example');
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  for (const login of ['anna:hunter22', '\0anna\0hunter22', 'hunter22', 'topsecret'])
    expect(parts).toContain(base64(login));
});

test.each([
  ['JSON', JSON.stringify],
  [
    'JSON of Python',
    (text: string) =>
      JSON.stringify(text).replace(/[^ -~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ],
  ['JSON of PHP', (text: string) => JSON.stringify(text).replaceAll('/', '\\/')],
  ['HTML', (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#x27;')],
  ['HTML of PHP', (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#039;')],
  ['an address', encodeURIComponent],
  ['an address in lower case', (text: string) => encodeURIComponent(text).toLowerCase().replaceAll("'", '%27')],
  ['plain text', String],
])('a secret that the server repeats in %s is hidden as well', (_, write) => {
  const secret = `pa"ß\\w&r/d'1%41`;
  const address = parseTargetAddress(`jsons://anna:${encodeURIComponent(secret)}@h.example/x`);
  const parts = address === null ? [] : secretParts(address, 'h.example');
  expect(withoutParts(`refused: ${write(secret)}, again`, parts)).toMatch(/^refused: "?…"?, again$/);
});

test('each of several recipients is hidden: a server names the one that it refuses', () => {
  const address = parseTargetAddress('mailtos://anna:word@mail.example?to=bob@x.example,carol@y.example');
  expect(address === null ? [] : secretParts(address, 'mail.example')).toContain('carol@y.example');
});

test('the parts of a URL are decoded, and a colon or # in it is no port and no fragment', () => {
  expect(parseTargetAddress('matrix://a%40b:c%3Ad@h:1/#r:s?x=1&+H=a%20b')).toEqual({
    scheme: 'matrix',
    user: 'a@b',
    password: 'c:d',
    authority: 'h:1',
    path: ['#r:s'],
    query: new Map([
      ['x', '1'],
      ['+H', 'a b'],
    ]),
  });
});

test.each([
  ['localhost', true],
  ['nas', true],
  ['nas.local', true],
  ['10.1.2.3', true],
  ['172.20.0.1', true],
  ['100.100.1.1', true],
  ['[fd00::1]', true],
  ['[fe80::1]', true],
  ['172.32.0.1', false],
  ['8.8.8.8', false],
  ['169.254.169.254', false],
  ['10.example.com', false],
  ['127.0.0.1.example.com', false],
  ['[2001:db8::1]', false],
])('%s is in the own network: %p', (name, expected) => expect(isNear(name)).toBe(expected));

test('several alerts are one text, as urgent as the most urgent that begins; an end is never urgent', () => {
  const over = message({ type: 'alert.ended', priority: 'urgent', at: at + 600_000 });
  expect(noteAbout([over])).toMatchObject({
    title: 'nas: Over: Hot & busy',
    text: 'Hot & busy: over on nas (Processor above 90 %). It lasted from 2026-01-15 12:00 until 2026-01-15 12:10.',
    priority: 'normal',
    kind: 'ended',
  });
  const group = noteAbout([over, message({ priority: 'high' }), message({ priority: 'low' })]);
  expect(group).toMatchObject({ title: 'nas: alerts, 2 begun, 1 over', priority: 'high', kind: 'begun' });
  expect(group.text.split('\n')).toHaveLength(3);
  expect(noteAbout(Array.from({ length: 50 }, () => message())).text).toEndWith('\n30 more alerts.');
});
