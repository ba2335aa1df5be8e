import { expect, test } from 'bun:test';
import type { ByteStreamEvents, OpenStream } from '@hostler/io/byte-stream.ts';
import { type SmtpOrder, sendMail } from './smtp.ts';

const order: SmtpOrder = {
  host: 'mail.example',
  port: 587,
  encryption: 'required',
  tls: { serverName: 'mail.example', ca: null, certificate: null },
  login: { user: 'anna', password: 'word' },
  hello: 'nas',
  from: 'nas@example.org',
  to: ['anna@example.org'],
  message: 'Subject: x\r\n\r\ny',
  signal: new AbortController().signal,
  timeoutMs: 30_000,
};

/** A server that answers each line by a table; the greeting is the answer to nothing. */
function server(answers: Record<string, string>) {
  const said: string[] = [];
  const open: OpenStream = async (target, events: ByteStreamEvents) => {
    const reply = (text: string | undefined) => {
      if (text !== undefined) queueMicrotask(() => events.data(new TextEncoder().encode(text)));
    };
    reply(answers.greeting ?? '220 hello\r\n');
    said.push(`connect ${target.port} ${target.tls === null ? 'plain' : 'tls'}`);
    return {
      send(bytes) {
        const line = new TextDecoder().decode(bytes).trim();
        said.push(line);
        const key = Object.keys(answers).find((start) => line.startsWith(start));
        reply(key === undefined ? undefined : answers[key]);
      },
      waiting: () => 0,
      pause() {},
      resume() {},
      async startTls() {
        said.push('(encrypted)');
      },
      close: () => void said.push('(closed)'),
    };
  };
  return { said, send: (given: Partial<SmtpOrder> = {}) => sendMail(open, { ...order, ...given }) };
}

const good = {
  EHLO: '250-mail.example\r\n250-STARTTLS\r\n250 AUTH PLAIN LOGIN\r\n',
  STARTTLS: '220 go ahead\r\n',
  AUTH: '235 welcome\r\n',
  MAIL: '250 ok\r\n',
  RCPT: '250 ok\r\n',
  DATA: '354 go on\r\n',
  Subject: '250-2.0.0 queued\r\n250 as 1\r\n',
};

test('the password and the message are sent after the encryption, and abilities are asked for again', async () => {
  const { said, send } = server(good);
  expect(await send()).toEqual({ code: 250, text: '2.0.0 queued\r\nas 1' });
  expect(said).toEqual([
    'connect 587 plain',
    'EHLO nas',
    'STARTTLS',
    '(encrypted)',
    'EHLO nas',
    `AUTH PLAIN ${btoa('\0anna\0word')}`,
    'MAIL FROM:<nas@example.org>',
    'RCPT TO:<anna@example.org>',
    'DATA',
    'Subject: x\r\n\r\ny\r\n.',
    'QUIT',
    '(closed)',
  ]);
});

test.each([
  ['no STARTTLS', { EHLO: '250 AUTH PLAIN\r\n' }, 'it offers no encryption'],
  ['replies before the encryption', { STARTTLS: '220 go\r\n250 AUTH PLAIN\r\n' }, 'it sent data before the encryption'],
  ['a refused STARTTLS', { STARTTLS: '454 not now\r\n' }, 'it answered STARTTLS with 454'],
  ['no known login', { EHLO: '250-STARTTLS\r\n250 AUTH XOAUTH2\r\n' }, 'it offers no login'],
  ['an endless reply', { greeting: `220-${'x'.repeat(20_000)}` }, 'its reply is too long'],
  ['a refused recipient', { RCPT: '550 no\r\n' }, 'it answered a recipient with 550'],
  ['a refused message', { Subject: '452 full\r\n' }, 'it answered the message with 452'],
])('with %s nothing more is sent, and the connection is closed', async (_name, answers, error) => {
  const { said, send } = server({ ...good, ...answers });
  await expect(send()).rejects.toThrow(error);
  expect(said.at(-1)).toBe('(closed)');
  expect(said).not.toContain('QUIT');
  if (!said.includes('(encrypted)')) expect(said.join()).not.toContain('AUTH');
});

test('a server that stops answering is left when the caller cancels', async () => {
  const ending = new AbortController();
  const { said, send } = server({ ...good, STARTTLS: '' });
  const sending = send({ signal: ending.signal });
  ending.abort();
  await expect(sending).rejects.toThrow('it did not answer in time');
  expect(said.at(-1)).toBe('(closed)');
});
