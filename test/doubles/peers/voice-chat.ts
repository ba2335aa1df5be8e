import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { RPCCommands, RPCErrorCodes, RPCEvents, type RPCReadyDispatchData } from 'discord-api-types/rpc/v10';
import { type Application, createApplication, type Subscriber } from './voice-chat.application.ts';
import { type OAuthEndpoint, startOAuthEndpoint } from './voice-chat.oauth.ts';

/**
 * Stands in for the voice-chat application: a server on a Unix socket that speaks its local RPC protocol, keeps a voice state and
 * checks what it is sent as the real one does. The types are those of `discord-api-types`; nothing here is shared with what it tests.
 */
export interface VoiceChat {
  /** The directory with the socket. */
  directory: string;
  socketPath: string;
  oauth: OAuthEndpoint;
  application: Application;
  faults: Faults;
  /** What clients sent, in order. */
  received: { cmd: string; args: Record<string, unknown>; evt?: string }[];
  /** The number of connections so far. */
  connections(): number;
  /** The number of current connections. */
  connected(): number;
  /** Ends all connections, as a crash does. */
  drop(): void;
  /** Ends the application; its socket is removed. */
  quit(): Promise<void>;
  /** Restarts it at the same path. */
  launch(): Promise<void>;
  stop(): Promise<void>;
}

/** Faults it can simulate. */
export interface Faults {
  /** Instead of READY. */
  handshake: 'silence' | 'junk' | 'close' | 'refuse' | 'huge' | null;
  /** Instead of the reply to this command. */
  at: { cmd: string; what: 'silence' | 'junk' | 'close' | 'huge' | 'no-json' | 'no-object' } | null;
  /** How answers are split: pieces of this many bytes, or everything sent at once joined into one piece. */
  pieces: number | 'joined';
  /** Every connection ends after this many bytes from us. */
  bytes: number | null;
}

export interface VoiceChatOptions {
  directory: string;
  clientId?: string;
  clientSecret?: string;
  /** Below the runtime directory, such as that of Flatpak. */
  below?: string;
  number?: number;
}

export const testClient = { clientId: '1045800378228281345', clientSecret: 'S3cr3t-of-the-client_0123456789abcd' };

const opcodes = { handshake: 0, frame: 1, close: 2, ping: 3, pong: 4 };

export async function startVoiceChat({
  directory,
  clientId = testClient.clientId,
  clientSecret = testClient.clientSecret,
  below = '',
  number = 0,
}: VoiceChatOptions): Promise<VoiceChat> {
  const oauth = await startOAuthEndpoint({ clientId, clientSecret });
  const application = createApplication(clientId, oauth);
  const faults: Faults = { handshake: null, at: null, pieces: 'joined', bytes: null };
  const received: VoiceChat['received'] = [];
  const sockets = new Set<net.Socket>();
  const socketPath = path.join(directory, below, `discord-ipc-${number}`);
  let accepted = 0;
  let server: net.Server | null = null;

  const serve = (socket: net.Socket) => {
    accepted += 1;
    sockets.add(socket);
    const outbox: Buffer[] = [];
    let flushing = false;
    let written = 0;
    const flush = () => {
      flushing = false;
      const said = Buffer.concat(outbox.splice(0));
      const all = said.subarray(0, Math.max(0, (faults.bytes ?? Number.POSITIVE_INFINITY) - written));
      written += all.length;
      if (faults.pieces === 'joined') socket.write(all);
      else for (let at = 0; at < all.length; at += faults.pieces) socket.write(all.subarray(at, at + faults.pieces));
      if (all.length < said.length) socket.end();
    };
    const write = (bytes: Buffer) => {
      outbox.push(bytes);
      if (!flushing) setImmediate(flush);
      flushing = true;
    };
    const send = (message: unknown) => write(frame(opcodes.frame, JSON.stringify(message)));
    const subscriber: Subscriber = {
      scopes: null,
      subscriptions: new Set(),
      event: (evt, data) => send({ cmd: RPCCommands.Dispatch, evt, data, nonce: null }),
    };
    const misbehave = (what: string) => {
      if (what === 'junk') write(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'));
      if (what === 'huge') write(header(opcodes.frame, 16 * 1024 * 1024 + 1));
      if (what === 'no-json') write(frame(opcodes.frame, '{"cmd":'));
      if (what === 'no-object') write(frame(opcodes.frame, '[1,2,3]'));
      if (what === 'close') socket.destroy();
      if (what === 'refuse')
        socket.end(frame(opcodes.close, JSON.stringify({ code: 4000, message: 'Invalid Client ID' })));
    };

    const shakeHands = ({ v, client_id }: Record<string, unknown>) => {
      if (faults.handshake !== null) return misbehave(faults.handshake);
      if (v !== 1 || client_id !== clientId) return misbehave('refuse');
      const ready: RPCReadyDispatchData = { v: 1, config: serverConfiguration, user: application.user };
      subscriber.event(RPCEvents.Ready, ready);
    };

    const handle = async (message: Record<string, unknown>) => {
      const { cmd, nonce, args = {}, evt } = message;
      const known = typeof args === 'object' && args !== null ? { ...args } : {};
      received.push({ cmd: String(cmd), args: known, ...(typeof evt === 'string' ? { evt } : {}) });
      const refuse = (code: number, sentence: string) =>
        send({ cmd, data: { code, message: sentence }, evt: RPCEvents.Error, nonce: nonce ?? null });
      if (typeof nonce !== 'string' || nonce === '')
        return refuse(RPCErrorCodes.InvalidPayload, 'Payload requires a nonce');
      if (faults.at !== null && faults.at.cmd === cmd) return misbehave(faults.at.what);
      const result = await application.perform(subscriber, { cmd: String(cmd), args: known, evt: String(evt ?? '') });
      if (result === 'silence') return;
      if ('refusal' in result) return refuse(result.refusal.code, result.refusal.message);
      send({ cmd, data: result.data, evt: null, nonce });
      result.afterwards?.();
    };

    const read = createReader((opcode, text) => {
      if (opcode === opcodes.ping) return write(frame(opcodes.pong, text));
      if (opcode === opcodes.close) return socket.end();
      const message: Record<string, unknown> = JSON.parse(text);
      if (opcode === opcodes.handshake) shakeHands(message);
      else void handle(message);
    });
    application.subscribers.add(subscriber);
    socket.on('data', read);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      application.subscribers.delete(subscriber);
      application.letGo(subscriber);
    });
  };

  const launch = async () => {
    fs.mkdirSync(path.dirname(socketPath), { recursive: true });
    fs.rmSync(socketPath, { force: true });
    const listening = net.createServer(serve);
    server = listening;
    await new Promise<void>((resolve) => listening.listen(socketPath, resolve));
  };
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  const quit = async () => {
    const ending = server;
    server = null;
    drop();
    if (ending !== null) await new Promise((resolve) => ending.close(resolve));
    fs.rmSync(socketPath, { force: true });
  };
  await launch();
  return {
    directory,
    socketPath,
    oauth,
    application,
    faults,
    received,
    connections: () => accepted,
    connected: () => sockets.size,
    drop,
    quit,
    launch,
    async stop() {
      await quit();
      await oauth.stop();
    },
  };
}

const serverConfiguration = {
  cdn_host: 'cdn.discordapp.com',
  api_endpoint: '//discord.com/api',
  environment: 'production',
};

function header(opcode: number, length: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(opcode, 0);
  bytes.writeUInt32LE(length, 4);
  return bytes;
}

function frame(opcode: number, text: string): Buffer {
  const body = Buffer.from(text);
  return Buffer.concat([header(opcode, body.length), body]);
}

function createReader(take: (opcode: number, text: string) => void): (bytes: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= 8 && rest.length >= 8 + rest.readUInt32LE(4)) {
      const end = 8 + rest.readUInt32LE(4);
      const [opcode, text] = [rest.readUInt32LE(0), rest.toString('utf8', 8, end)];
      rest = rest.subarray(end);
      take(opcode, text);
    }
  };
}
