import type { OpenStream, StreamTls } from '@hostler/io/byte-stream.ts';

export interface SmtpOrder {
  host: string;
  port: number;
  /** implicit: from the first byte; required: STARTTLS or nothing; offered: STARTTLS if the server has it. */
  encryption: 'implicit' | 'required' | 'offered';
  tls: StreamTls;
  /** null: without authentication. */
  login: { user: string; password: string } | null;
  hello: string;
  from: string;
  to: readonly string[];
  /** Header and body in ASCII, with lines that end in CR LF and none that begins with a dot. */
  message: string;
  signal: AbortSignal;
  timeoutMs: number;
}

export interface SmtpReply {
  code: number;
  text: string;
}

/** The server refused a step. A code of 400 to 499 means that it may accept it later. */
export class SmtpRefusal extends Error {
  override readonly name = 'SmtpRefusal';
  readonly reply: SmtpReply;

  constructor(step: string, reply: SmtpReply) {
    super(`it answered ${step} with ${reply.code}`);
    this.reply = reply;
  }
}

const longestReply = 16 * 1024;

/** One message over SMTP (RFC 5321) with STARTTLS (RFC 3207) and AUTH (RFC 4954). Returns the answer to the message. */
export async function sendMail(open: OpenStream, order: SmtpOrder): Promise<SmtpReply> {
  const { host, port, encryption, tls, timeoutMs } = order;
  const ending = AbortSignal.any([order.signal, AbortSignal.timeout(timeoutMs)]);
  const replies = createReplies(ending);
  const target = { host, port, tls: encryption === 'implicit' ? tls : null, webSocket: null, mayStartTls: true };
  const stream = await open(target, replies, timeoutMs);
  const say = (line: string) => stream.send(new TextEncoder().encode(`${line}\r\n`));
  const expectReply = async (step: string, codes: readonly number[]) => {
    const reply = await replies.next();
    if (!codes.includes(reply.code)) throw new SmtpRefusal(step, reply);
    return reply;
  };
  const ask = (line: string, step: string, ...codes: number[]) => {
    say(line);
    return expectReply(step, codes);
  };
  try {
    await expectReply('the connection', [220]);
    let abilities = await ask(`EHLO ${order.hello}`, 'EHLO', 250);
    if (encryption !== 'implicit' && /^STARTTLS\b/im.test(abilities.text)) {
      await ask('STARTTLS', 'STARTTLS', 220);
      // What came before the encryption could be of an attacker (CVE-2011-0411).
      if (replies.hasRest()) throw new Error('it sent data before the encryption began');
      if (stream.startTls === undefined) throw new Error('this connection cannot be encrypted');
      await stream.startTls(tls, timeoutMs);
      abilities = await ask(`EHLO ${order.hello}`, 'EHLO', 250);
    } else if (encryption === 'required') throw new Error('it offers no encryption (STARTTLS), so nothing was sent');
    if (order.login !== null) await logIn(order.login, abilities.text, ask);
    await ask(`MAIL FROM:<${order.from}>`, 'the sender', 250);
    for (const recipient of order.to) await ask(`RCPT TO:<${recipient}>`, 'a recipient', 250, 251);
    await ask('DATA', 'DATA', 354);
    const reply = await ask(`${order.message}\r\n.`, 'the message', 250);
    say('QUIT');
    return reply;
  } finally {
    stream.close();
  }
}

async function logIn(
  { user, password }: NonNullable<SmtpOrder['login']>,
  abilities: string,
  ask: (line: string, step: string, ...codes: number[]) => Promise<SmtpReply>,
): Promise<void> {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const ways = /^AUTH[ =](.*)$/im.exec(abilities)?.[1]?.toUpperCase().split(/\s+/) ?? [];
  if (ways.includes('PLAIN')) await ask(`AUTH PLAIN ${base64(`\0${user}\0${password}`)}`, 'the login', 235);
  else if (ways.includes('LOGIN')) {
    await ask('AUTH LOGIN', 'the login', 334);
    await ask(base64(user), 'the login', 334);
    await ask(base64(password), 'the login', 235);
  } else throw new Error('it offers no login that is supported (AUTH PLAIN or LOGIN)');
}

/** Collects whole replies from the bytes of the server. */
function createReplies(ending: AbortSignal) {
  const state: { text: string; problem: Error | null; check: () => void } = {
    text: '',
    problem: null,
    check: () => {},
  };
  const fail = (error: Error) => {
    state.problem ??= error;
    state.check();
  };
  ending.addEventListener('abort', () => fail(new DOMException('it did not answer in time', 'TimeoutError')), {
    once: true,
  });
  return {
    data(bytes: Uint8Array) {
      state.text += Buffer.from(bytes).toString('latin1');
      if (state.text.length > longestReply) fail(new Error('its reply is too long'));
      state.check();
    },
    closed: (error: Error | null) => fail(error ?? new Error('it closed the connection')),
    hasRest: () => state.text !== '',
    next: () =>
      new Promise<SmtpReply>((resolve, reject) => {
        state.check = () => {
          const [whole, lines = '', code = ''] = /^((?:\d{3}-.*\r?\n)*(\d{3})(?: .*)?\r?\n)/.exec(state.text) ?? [];
          if (whole === undefined && state.problem === null) return;
          state.check = () => {};
          if (whole === undefined) return reject(state.problem);
          state.text = state.text.slice(whole.length);
          resolve({ code: Number(code), text: lines.replace(/^\d{3}[- ]?/gm, '').trim() });
        };
        state.check();
      }),
  };
}
