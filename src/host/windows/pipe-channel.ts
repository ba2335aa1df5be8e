import type { Server, Socket } from 'node:net';
import { type Clock, sleep } from '../../lib/clock.ts';
import type { CommandChannel, CommandChannelParts } from '../command-channel.ts';
import type { LocalHttp, LocalRequest } from '../local-http.ts';
import type { Native } from './native/native.ts';
import { isTrustedAccount } from './trusted-accounts.ts';

/**
 * Commands over a named pipe. The runtime supports no HTTP there, so it is one line of JSON with the request and one with the response.
 * The name is random and stored in the state directory, which only its owner can read: no other user can take it first, and others may not
 * write to the pipe, by the default permissions of Windows.
 */
const prefix = '\\\\.\\pipe\\hostler-';
const longestLine = 64 * 1024 * 1024;
/** A client without a request within this time is disconnected. By default Windows lets every user open a pipe for reading. */
const silentMs = 30_000;
/** More without a request: the oldest are disconnected, so that other users cannot fill the memory of the service. */
const mostSilent = 64;

interface PipeRequest {
  route: string;
  headers: Record<string, string>;
  body: string | null;
}

interface PipeResponse {
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
  /** The oldest first. */
  const silent = new Set<Socket>();
  const handleLine = async (line: string): Promise<PipeResponse> => {
    const { route, headers, body } = JSON.parse(line) as PipeRequest;
    // A body without a length is ignored.
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
    silent.add(socket);
    for (const oldest of [...silent].slice(0, -mostSilent)) oldest.destroy();
    const disconnect = setTimeout(() => socket.destroy(), mostSilentMs);
    socket.on('close', () => {
      clearTimeout(disconnect);
      silent.delete(socket);
      open.delete(socket);
    });
    socket.on('error', () => socket.destroy());
    const received = lineReader((line) => {
      clearTimeout(disconnect);
      silent.delete(socket);
      handleLine(line).then(
        (response) => socket.end(`${JSON.stringify(response)}\n`),
        () => socket.destroy(),
      );
    });
    socket.on('data', (bytes: Buffer) => {
      if (!received(bytes)) socket.destroy();
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

/** The client: pipes by this protocol, other sockets by HTTP. `check` throws where a pipe is not ours. */
export function withPipes(http: LocalHttp, check: CheckPipe): LocalHttp {
  return {
    ...http,
    request: (request) =>
      request.socket.startsWith('\\\\.\\pipe\\') ? askPipe(request, check) : http.request(request),
  };
}

export type CheckPipe = (pipe: string) => Promise<void>;

export const pipeOwnersOf =
  (native: () => Promise<Pick<Native, 'advapi32' | 'rights'>>) => async (): Promise<PipeOwners> => {
    const { advapi32, rights } = await native();
    const pipeOwner = (pipe: string) => {
      const made = rights.pipeOwner(pipe);
      // Without an owner, the account of its server process.
      return made === null ? null : (made.owner ?? advapi32.processSid(made.process));
    };
    return { ownSid: advapi32.ownSid, pipeOwner };
  };

/**
 * A killed service leaves the name of its pipe behind, and another user who takes that name would receive secrets. So the owner of the
 * pipe is checked: after connecting, since from then on it cannot be replaced, and before any data is sent.
 */
export function createPipeCheck(load: () => Promise<PipeOwners>, clock: Clock): CheckPipe {
  return async (pipe) => {
    const { ownSid, pipeOwner } = await load();
    const owner = await patientOwner(pipe, pipeOwner, clock);
    if (owner !== null && isTrustedAccount(owner, ownSid())) return;
    const why = owner === null ? 'Windows does not report its owner' : `it was created by another user (${owner})`;
    throw Object.assign(new Error(`nothing was sent to ${pipe}: ${why}`), { code: 'EPERM' });
  };
}

export interface PipeOwners {
  ownSid(): string | null;
  /** null: busy, or access denied. */
  pipeOwner(pipe: string): string | null;
}

const { tries, pauseMs } = { tries: 40, pauseMs: 50 };

/** All its instances may be busy for a moment. */
async function patientOwner(pipe: string, ask: PipeOwners['pipeOwner'], clock: Clock): Promise<string | null> {
  for (let left = tries; left > 0; left -= 1) {
    const owner = ask(pipe);
    if (owner !== null) return owner;
    await sleep(clock, pauseMs);
  }
  return null;
}

export async function askPipe(request: LocalRequest, check: CheckPipe): Promise<PipeResponse> {
  const { createConnection } = await import('node:net');
  const { socket: address, route, headers, body = null, timeoutMs } = request;
  const { promise, resolve, reject } = Promise.withResolvers<PipeResponse>();
  const socket = createConnection({ path: address });
  const timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
  const asked: PipeRequest = { route, headers, body };
  socket.on('connect', () => {
    check(address).then(() => socket.write(`${JSON.stringify(asked)}\n`), reject);
  });
  const received = lineReader((line) => resolve(JSON.parse(line) as PipeResponse));
  socket.on('data', (bytes: Buffer) => {
    if (!received(bytes)) reject(new Error('the response is too large'));
  });
  socket.on('error', reject);
  socket.on('close', () => reject(new Error('the service closed the connection')));
  return await promise.finally(() => {
    clearTimeout(timer);
    socket.destroy();
  });
}

/** Calls back with the first line; false: it is too long. */
function lineReader(received: (line: string) => void): (bytes: Uint8Array) => boolean {
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
    received(Buffer.concat(pieces).toString('utf8', 0, length - bytes.length + end));
    return true;
  };
}
