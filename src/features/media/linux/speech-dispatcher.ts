import path from 'node:path';
import type { LocalSocket } from '@hostler/io/local-socket.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { messageOf, ServiceError } from '../../../lib/errors.ts';
import { shownText } from '../../../lib/printable-text.ts';
import type { Voice } from '../media.contract.ts';
import type { SayInput } from '../play.schema.ts';

type SpeechdHost = Pick<LinuxHost, 'clock' | 'connectLocal' | 'paths'>;

const by = 'speech-dispatcher';
const answerMs = 5000;
const speakMs = 300_000;
const mostPending = 65_536;
/** End or cancellation of a message. */
const endings = [702, 703];

/** null: it does not run. https://htmlpreview.github.io/?https://github.com/brailcom/speechd/blob/master/doc/ssip.html */
export async function speechDispatcher(host: SpeechdHost): Promise<Voice | null> {
  if (host.paths.runtime === null) return null;
  const socket = path.join(host.paths.runtime, 'speech-dispatcher', 'speechd.sock');
  try {
    (await host.connectLocal(socket, { data: () => {}, closed: () => {} }, 'self')).close();
  } catch {
    return null;
  }
  return { by, say: (input, signal) => speak(host, socket, input, signal) };
}

async function speak(host: SpeechdHost, socket: string, input: SayInput, signal: AbortSignal): Promise<void> {
  const { text, language, rate, volume } = input;
  const connection = await open(host, socket);
  const aborted = () => connection.send('CANCEL SELF');
  try {
    const commands = [
      'SET SELF CLIENT_NAME user:hostler:main',
      'SET SELF NOTIFICATION END ON',
      'SET SELF NOTIFICATION CANCEL ON',
      ...(language ? [`SET SELF LANGUAGE ${language.toLowerCase()}`] : []),
      ...(rate ? [`SET SELF RATE ${Math.round(Math.min(100, rate - 100))}`] : []),
      ...(volume == null ? [] : [`SET SELF VOLUME ${Math.round(2 * volume - 100)}`]),
      'SPEAK',
    ];
    for (const command of commands) await connection.ask(command);
    // No line begins with a dot, since the text is one line.
    await connection.ask(`${text.replace(/\p{Cc}+/gu, ' ').replace(/^\./, '..')}\r\n.`);
    signal.addEventListener('abort', aborted);
    if (signal.aborted) aborted();
    await connection.event(endings, speakMs);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError('failed', `${by} could not say the text: ${messageOf(error)}`, { cause: error });
  } finally {
    signal.removeEventListener('abort', aborted);
    connection.close();
  }
}

/** Lines such as `208 OK CLIENT NAME SET`; `702-…` continues. Codes from 700 are events, from 300 errors. */
async function open({ clock, connectLocal }: SpeechdHost, path: string) {
  let pending = '';
  let socket: LocalSocket | null = null;
  let waiting: { matches(code: number): boolean; settle(line: string | Error): void } | null = null;
  /** Codes of events that nothing waited for. */
  const early = new Set<number>();
  const fail = (error: Error) => waiting?.settle(error);
  const take = (line: string) => {
    const code = Number(line.slice(0, 3));
    if (waiting?.matches(code)) waiting.settle(line);
    else if (code >= 700) early.add(code);
  };
  const decoder = new TextDecoder();
  const events = {
    data(bytes: Uint8Array) {
      const lines = (pending + decoder.decode(bytes, { stream: true })).split('\r\n');
      pending = lines.pop() ?? '';
      if (pending.length > mostPending) return fail(new Error('it sent too long a line'));
      for (const line of lines) if (/^\d{3} /.test(line)) take(line);
    },
    closed: (error: Error | null) => fail(error ?? new Error('it closed the connection')),
  };
  const next = (matches: (code: number) => boolean, limitMs: number): Promise<string> => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const cancel = clock.after(limitMs, () => waiting?.settle(new Error('it did not answer in time')));
    waiting = {
      matches,
      settle(line) {
        cancel();
        waiting = null;
        if (typeof line === 'string') resolve(line);
        else reject(line);
      },
    };
    return promise;
  };
  socket = await connectLocal(path, events, 'self');
  const send = (line: string) => socket?.send(new TextEncoder().encode(`${line}\r\n`));
  return {
    send,
    async ask(line: string): Promise<void> {
      const reply = next((code) => code < 700, answerMs);
      send(line);
      const text = await reply;
      if (Number(text.slice(0, 3)) >= 300) throw new Error(shownText(text, 200));
    },
    /** It may have arrived before the reply to the request. */
    async event(codes: readonly number[], limitMs: number): Promise<void> {
      if (!codes.some((code) => early.has(code))) await next((code) => codes.includes(code), limitMs);
    },
    close: () => socket?.close(),
  };
}
