import type { Server, Socket } from 'node:net';
import { type Clock, sleep } from '../../lib/clock.ts';
import type { CommandChannel, CommandChannelParts } from '../command-channel.ts';
import type { LocalHttp, LocalQuestion } from '../local-http.ts';
import type { Native } from './native/native.ts';
import { isTrustedAccount } from './trusted-accounts.ts';

/**
 * Commands over a named pipe. The runtime speaks no HTTP there, so it is one line of JSON with the question and one with the answer.
 * The name is random and stands in the state directory, which only its owner reads: nobody can take it before us, and others may not
 * write to the pipe, as Windows makes them unless told otherwise.
 */
const prefix = '\\\\.\\pipe\\hostler-';
const longestLine = 64 * 1024 * 1024;
/** A client that has asked nothing within this time is disconnected. By default Windows lets every user open a pipe for reading. */
const silentMs = 30_000;

interface Asked {
  route: string;
  headers: Record<string, string>;
  body: string | null;
}

interface Told {
  status: number;
  text: string;
}

export const pipeChannel: CommandChannel = {
  address: () => `${prefix}${crypto.randomUUID()}`,
  serve: (parts) => servePipe(parts),
};

export function servePipe(
  { socket: address, handle, onError }: CommandChannelParts,
  mostSilentMs = silentMs,
): { stop(): Promise<void> } {
  const open = new Set<Socket>();
  const answer = async (line: string): Promise<Told> => {
    const { route, headers, body } = JSON.parse(line) as Asked;
    // A body without a length counts as none.
    const length = { 'Content-Length': String(Buffer.byteLength(body ?? '')) };
    const init = body === null ? { headers } : { headers: { ...headers, ...length }, method: 'POST', body };
    const response = await (async () => handle(new Request(new URL(route, 'http://localhost').href, init)))().catch(
      onError,
    );
    return { status: response.status, text: await response.text() };
  };
  // Not imported: most commands never need it.
  const { createServer } = process.getBuiltinModule('node:net');
  const server: Server = createServer((socket) => {
    open.add(socket);
    const disconnect = setTimeout(() => socket.destroy(), mostSilentMs);
    socket.on('close', () => {
      clearTimeout(disconnect);
      open.delete(socket);
    });
    socket.on('error', () => socket.destroy());
    const heard = lineReader((line) => {
      clearTimeout(disconnect);
      answer(line).then(
        (told) => socket.end(`${JSON.stringify(told)}\n`),
        () => socket.destroy(),
      );
    });
    socket.on('data', (bytes: Buffer) => {
      if (!heard(bytes)) socket.destroy();
    });
  });
  server.on('error', (error) => onError(error));
  server.listen(address);
  return {
    async stop() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

/** The same side for who asks: pipes by this, everything else as everywhere. `check` throws where a pipe is not ours. */
export function withPipes(http: LocalHttp, check: CheckPipe): LocalHttp {
  return {
    ...http,
    request: (question) =>
      question.socket.startsWith('\\\\.\\pipe\\') ? askPipe(question, check) : http.request(question),
  };
}

export type CheckPipe = (pipe: string) => Promise<void>;

/** Asks Windows who made a pipe. */
export const pipeOwnersOf =
  (native: () => Promise<Pick<Native, 'advapi32' | 'rights'>>) => async (): Promise<PipeOwners> => {
    const { advapi32, rights } = await native();
    const pipeOwner = (pipe: string) => {
      const made = rights.pipeOwner(pipe);
      // Where a pipe has no owner, the account that runs the process that serves it.
      return made === null ? null : (made.owner ?? advapi32.processSid(made.process));
    };
    return { ownSid: advapi32.ownSid, pipeOwner };
  };

/**
 * A service that was killed leaves the name of its pipe behind, and whoever takes that name would be told secrets. So it is asked who made the
 * pipe: after we are connected, since from then on nobody else can take it, and before anything is said.
 */
export function createPipeCheck(load: () => Promise<PipeOwners>, clock: Clock): CheckPipe {
  return async (pipe) => {
    const { ownSid, pipeOwner } = await load();
    const owner = await patientOwner(pipe, pipeOwner, clock);
    if (owner !== null && isTrustedAccount(owner, ownSid())) return;
    const why = owner === null ? 'Windows does not say who made it' : `it was made by another user (${owner})`;
    throw Object.assign(new Error(`nothing was sent to ${pipe}: ${why}`), { code: 'EPERM' });
  };
}

export interface PipeOwners {
  ownSid(): string | null;
  /** null: it is busy, or nobody may know. */
  pipeOwner(pipe: string): string | null;
}

const { tries, pauseMs } = { tries: 40, pauseMs: 50 };

/** For a moment all its ends may be taken. */
async function patientOwner(pipe: string, ask: PipeOwners['pipeOwner'], clock: Clock): Promise<string | null> {
  for (let left = tries; left > 0; left -= 1) {
    const owner = ask(pipe);
    if (owner !== null) return owner;
    await sleep(clock, pauseMs);
  }
  return null;
}

export async function askPipe(question: LocalQuestion, check: CheckPipe): Promise<Told> {
  const { createConnection } = await import('node:net');
  const { socket: address, route, headers, body = null, timeoutMs } = question;
  const { promise, resolve, reject } = Promise.withResolvers<Told>();
  const socket = createConnection({ path: address });
  const timer = setTimeout(() => reject(new Error(`no answer in ${timeoutMs / 1000} s`)), timeoutMs);
  const asked: Asked = { route, headers, body };
  socket.on('connect', () => {
    check(address).then(() => socket.write(`${JSON.stringify(asked)}\n`), reject);
  });
  const heard = lineReader((line) => resolve(JSON.parse(line) as Told));
  socket.on('data', (bytes: Buffer) => {
    if (!heard(bytes)) reject(new Error('the answer is too large'));
  });
  socket.on('error', reject);
  socket.on('close', () => reject(new Error('the service closed the connection')));
  return await promise.finally(() => {
    clearTimeout(timer);
    socket.destroy();
  });
}

/** Calls back with the first line; false: it is too long. */
function lineReader(told: (line: string) => void): (bytes: Uint8Array) => boolean {
  const pieces: Uint8Array[] = [];
  let length = 0;
  let isDone = false;
  return (bytes) => {
    if (isDone) return true;
    length += bytes.length;
    pieces.push(bytes);
    const end = bytes.indexOf(10);
    if (end === -1) return length <= longestLine;
    isDone = true;
    told(Buffer.concat(pieces).toString('utf8', 0, length - bytes.length + end));
    return true;
  };
}
