import { settledWithin } from '../../../lib/clock.ts';
import { ownCommand } from '../../../lib/own-command.ts';
import { createThrottle } from '../../../lib/throttle.ts';
import type { ChatClient, ChatOptions, ChatState, Obstacle } from './chat.client.contract.ts';
import { type AppConnection, noSocketMs, notRunning, type RetryPause, startConnection } from './chat.connection.ts';
import { chatFiles, type SetUp } from './chat.credentials.ts';
import { createOAuth, defaultOAuthUrl, type PostForm } from './chat.oauth.ts';
import type { ChatParts } from './chat.open.ts';
import { watchFiles, watchSockets } from './chat.socket-watch.ts';
import { lookingAt, type Sockets } from './chat.sockets.ts';
import { createDemand } from './chat.subscribers.ts';

export interface ChatClientParts extends ChatParts {
  sockets: Sockets;
  post: PostForm;
}

/** Below the time limit of a response of the service. */
const settleMs = 1200;
/** At most ten updates a second. */
const updateMs = 100;
/** Pauses before the first retries: a new socket exists shortly before it accepts connections. */
const firstRetriesMs: readonly number[] = [20, 100, 500];

const notSetUp = `the voice-chat application is not set up; run "${ownCommand('chat setup')}" on the machine`;

const ready = 'the voice-chat application is connected';

/** Connects while it has subscribers or was queried within the last minute; otherwise nothing runs. */
export function createChatClient(parts: ChatClientParts, options: ChatOptions): ChatClient {
  const { clock, storage, sockets, paths } = parts;
  const { exists, isOurs } = lookingAt(storage);
  const oauthUrl = () => options.oauthUrl() || defaultOAuthUrl;
  const files = chatFiles(parts);
  const oauth = createOAuth(parts.post, clock, oauthUrl);
  const filesWatch = watchFiles(storage, clock, paths.state, () => {
    if (wake()) announce();
  });
  const socketsWatch = watchSockets(storage, sockets, () => {
    if (connection === null) retry(firstRetriesMs);
  });
  const updates = createThrottle(clock, updateMs, () => demand.notify());
  const demand = createDemand(clock, { mustStay: () => connection?.mustStay() === true, rest });
  let signature: string | null = null;
  let setUp: SetUp = { kind: 'absent' };
  let retryPause: RetryPause = { until: Number.NEGATIVE_INFINITY, obstacle: null };
  let connection: AppConnection | null = null;
  let obstacle = notRunning;
  let cancelRetry: (() => void) | null = null;
  let lastLogged = '';

  function redact(sentence: string): string {
    const { access_token = null, refresh_token = null } = files.tokens() ?? {};
    const secret = setUp.kind === 'ready' ? setUp.credentials.clientSecret : null;
    return [secret, access_token, refresh_token]
      .reduce<string>((left, text) => (text === null ? left : left.replaceAll(text, '…')), sentence)
      .replace(/\p{Cc}+/gu, ' ')
      .slice(0, 300);
  }

  function announce(): void {
    const now = current();
    const sentence = now.kind === 'absent' ? '' : (now.obstacle?.sentence ?? (now.facts ? ready : ''));
    if (sentence !== '' && sentence !== lastLogged) {
      options.log.info(`chat: ${sentence}`);
      lastLogged = sentence;
    }
    updates.ask();
  }

  function retry([next, ...later]: readonly number[], afterMs = noSocketMs): void {
    cancelRetry?.();
    cancelRetry = clock.after(next ?? afterMs, () => connect(later));
  }

  function fail(why: Obstacle, afterMs: number, retriesMs: readonly number[]): void {
    const isNews = connection !== null || why.sentence !== obstacle.sentence;
    connection = null;
    obstacle = why;
    if (demand.isThere()) {
      // Refused credentials stay refused when the application restarts.
      if (afterMs === noSocketMs) socketsWatch.start();
      retry(retriesMs, afterMs);
    } else rest();
    if (isNews) announce();
  }

  function connect(retriesMs: readonly number[]): void {
    cancelRetry?.();
    cancelRetry = null;
    if (setUp.kind !== 'ready') return;
    const found = sockets.candidates(exists, isOurs);
    if (found.length === 0) return fail(notRunning, noSocketMs, retriesMs);
    const startedAt = clock.monotonic();
    const signatureThen = signature;
    // Quick retries start over only after a connection that lasted: the application may have restarted.
    const next = () => (clock.monotonic() - startedAt > noSocketMs ? firstRetriesMs : retriesMs);
    connection = startConnection({
      clock,
      connect: parts.connectLocal,
      paths: found,
      oauth,
      files,
      credentials: setUp.credentials,
      mayAsk: options.passing !== true,
      isCurrent: () => files.signature() === signatureThen,
      retryPause,
      redact,
      changed() {
        if (connection?.state().connected) socketsWatch.stop();
        announce();
      },
      over: (end) => fail(end.obstacle, end.retryMs, end.retryMs === noSocketMs ? next() : []),
    });
  }

  function drop(): void {
    connection?.end();
    connection = null;
    cancelRetry?.();
    cancelRetry = null;
    socketsWatch.stop();
  }

  function rest(): void {
    drop();
    filesWatch.stop();
  }

  /** Reads the set-up again and connects if it is complete; `wanted` runs if it is. true: the set-up has changed. */
  function wake(wanted = () => {}): boolean {
    const found = files.signature();
    const isNew = found !== signature;
    if (isNew) {
      signature = found;
      setUp = files.setUp();
      retryPause = { until: Number.NEGATIVE_INFINITY, obstacle: null };
      obstacle = notRunning;
      drop();
    }
    const isReady = setUp.kind === 'ready';
    if (isReady) wanted();
    if (isReady || demand.isFollowed()) filesWatch.start();
    else filesWatch.stop();
    if (connection === null && cancelRetry === null) connect([]);
    return isNew;
  }

  function current(): ChatState {
    if (setUp.kind === 'broken') return { kind: 'absent', sentence: setUp.sentence };
    if (setUp.kind === 'absent') return { kind: 'absent', sentence: notSetUp };
    return { kind: 'present', ...(connection?.state() ?? { connected: false, facts: null, obstacle }) };
  }

  function read(): ChatState | Promise<ChatState> {
    wake(demand.ask);
    if (connection === null || connection.state().facts !== null || connection.state().obstacle !== null)
      return current();
    return settledWithin(clock, connection.settled, settleMs).then(current);
  }

  return {
    state: read,
    follow(changed) {
      const stop = demand.follow(changed);
      wake();
      return stop;
    },
    async command(request, take) {
      const known = await read();
      if (known.kind === 'absent') throw new Error(known.sentence);
      if (connection === null || known.facts === null)
        throw new Error(known.obstacle?.sentence ?? 'the voice-chat application has not answered yet; try again');
      return await connection.command(request, take);
    },
    close() {
      demand.close();
      updates.cancel();
      rest();
    },
  };
}
