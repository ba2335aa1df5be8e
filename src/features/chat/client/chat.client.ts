import type { Clock } from '../../../lib/clock.ts';
import { ownCommand } from '../../../lib/own-command.ts';
import { createThrottle } from '../../../lib/throttle.ts';
import type { ChatClient, ChatOptions, ChatState, Obstacle } from './chat.client.contract.ts';
import { type AppConnection, noSocketMs, notRunning, type RetryPause, startConnection } from './chat.connection.ts';
import { type ChatFiles, chatFiles, type SetUp } from './chat.credentials.ts';
import { createOAuth, defaultOAuthUrl, type OAuth, type PostForm } from './chat.oauth.ts';
import type { ChatParts } from './chat.open.ts';
import { type ChatWatch, watchFiles, watchSockets } from './chat.socket-watch.ts';
import type { Sockets } from './chat.sockets.ts';
import { createDemand, type Demand } from './chat.subscribers.ts';

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

interface State {
  parts: ChatClientParts;
  options: ChatOptions;
  files: ChatFiles;
  oauth: OAuth;
  filesWatch: ChatWatch;
  socketsWatch: ChatWatch;
  updates: ReturnType<typeof createThrottle>;
  demand: Demand;
  signature: string | null;
  setUp: SetUp;
  retryPause: RetryPause;
  connection: AppConnection | null;
  obstacle: Obstacle;
  cancelRetry: (() => void) | null;
  lastLogged: string;
}

/** Connects while it has subscribers or was queried within the last minute; otherwise nothing runs. */
export function createChatClient(parts: ChatClientParts, options: ChatOptions): ChatClient {
  const state = createState(parts, options);
  return {
    state: () => read(state),
    follow(changed) {
      const stop = state.demand.follow(changed);
      wake(state);
      return stop;
    },
    async command(request, take) {
      const known = await read(state);
      if (known.kind === 'absent') throw new Error(known.sentence);
      if (state.connection === null || known.facts === null)
        throw new Error(known.obstacle?.sentence ?? 'the voice-chat application has not answered yet; try again');
      return await state.connection.command(request, take);
    },
    close() {
      state.demand.close();
      state.updates.cancel();
      rest(state);
    },
  };
}

function createState(parts: ChatClientParts, options: ChatOptions): State {
  const { clock, storage, sockets, environment, paths } = parts;
  const oauthUrl = () => environment.variable('SERVICE_CHAT_OAUTH_URL') ?? (options.oauthUrl() || defaultOAuthUrl);
  const state: State = {
    parts,
    options,
    files: chatFiles(parts),
    oauth: createOAuth(parts.post, clock, oauthUrl),
    filesWatch: watchFiles(storage, clock, paths.state, () => {
      if (wake(state)) announce(state);
    }),
    socketsWatch: watchSockets(storage, sockets, () => {
      if (state.connection === null) retry(state, firstRetriesMs);
    }),
    updates: createThrottle(clock, updateMs, () => state.demand.notify()),
    demand: createDemand(clock, {
      mustStay: () => state.connection?.mustStay() === true,
      rest: () => rest(state),
    }),
    signature: null,
    setUp: { kind: 'absent' },
    retryPause: { until: Number.NEGATIVE_INFINITY, obstacle: null },
    connection: null,
    obstacle: notRunning,
    cancelRetry: null,
    lastLogged: '',
  };
  return state;
}

function redact({ files, setUp }: State, sentence: string): string {
  const { access_token = null, refresh_token = null } = files.tokens() ?? {};
  const secret = setUp.kind === 'ready' ? setUp.credentials.clientSecret : null;
  return [secret, access_token, refresh_token]
    .reduce<string>((rest, text) => (text === null ? rest : rest.replaceAll(text, '…')), sentence)
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, 300);
}

function announce(state: State): void {
  const now = current(state);
  const sentence = now.kind === 'absent' ? '' : (now.obstacle?.sentence ?? (now.facts ? ready : ''));
  if (sentence !== '' && sentence !== state.lastLogged) {
    state.options.log.info(`chat: ${sentence}`);
    state.lastLogged = sentence;
  }
  state.updates.ask();
}

function retry(state: State, [next, ...later]: readonly number[], afterMs = noSocketMs): void {
  state.cancelRetry?.();
  state.cancelRetry = state.parts.clock.after(next ?? afterMs, () => connect(state, later));
}

function fail(state: State, obstacle: Obstacle, afterMs: number, retriesMs: readonly number[]): void {
  const isNews = state.connection !== null || obstacle.sentence !== state.obstacle.sentence;
  state.connection = null;
  state.obstacle = obstacle;
  if (state.demand.isThere()) {
    // Refused credentials stay refused when the application restarts.
    if (afterMs === noSocketMs) state.socketsWatch.start();
    retry(state, retriesMs, afterMs);
  } else rest(state);
  if (isNews) announce(state);
}

function connect(state: State, retriesMs: readonly number[]): void {
  state.cancelRetry?.();
  state.cancelRetry = null;
  const { parts, setUp, files, oauth, options, signature, retryPause } = state;
  if (setUp.kind !== 'ready') return;
  const { clock, sockets, storage } = parts;
  const found = sockets.candidates((file) => storage.signature(file) !== null, storage.isOurs);
  if (found.length === 0) return fail(state, notRunning, noSocketMs, retriesMs);
  const startedAt = clock.monotonic();
  // Quick retries start over only after a connection that lasted: the application may have restarted.
  const next = () => (clock.monotonic() - startedAt > noSocketMs ? firstRetriesMs : retriesMs);
  state.connection = startConnection({
    clock,
    connect: parts.connectLocal,
    paths: found,
    oauth,
    files,
    credentials: setUp.credentials,
    mayAsk: options.passing !== true,
    isCurrent: () => files.signature() === signature,
    retryPause,
    redact: (sentence) => redact(state, sentence),
    changed() {
      if (state.connection?.state().connected) state.socketsWatch.stop();
      announce(state);
    },
    over: (end) => fail(state, end.obstacle, end.retryMs, end.retryMs === noSocketMs ? next() : []),
  });
}

function drop(state: State): void {
  state.connection?.end();
  state.connection = null;
  state.cancelRetry?.();
  state.cancelRetry = null;
  state.socketsWatch.stop();
}

function rest(state: State): void {
  drop(state);
  state.filesWatch.stop();
}

/** Reads the set-up again and connects if it is complete; `wanted` runs if it is. true: the set-up has changed. */
function wake(state: State, wanted = () => {}): boolean {
  const { files, filesWatch, demand } = state;
  const signature = files.signature();
  const isNew = signature !== state.signature;
  if (isNew) {
    state.signature = signature;
    state.setUp = files.setUp();
    state.retryPause = { until: Number.NEGATIVE_INFINITY, obstacle: null };
    state.obstacle = notRunning;
    drop(state);
  }
  const isReady = state.setUp.kind === 'ready';
  if (isReady) wanted();
  if (isReady || demand.isFollowed()) filesWatch.start();
  else filesWatch.stop();
  if (state.connection === null && state.cancelRetry === null) connect(state, []);
  return isNew;
}

function current({ setUp, connection, obstacle }: State): ChatState {
  if (setUp.kind === 'broken') return { kind: 'absent', sentence: setUp.sentence };
  if (setUp.kind === 'absent') return { kind: 'absent', sentence: notSetUp };
  return { kind: 'present', ...(connection?.state() ?? { connected: false, facts: null, obstacle }) };
}

function read(state: State): ChatState | Promise<ChatState> {
  wake(state, state.demand.ask);
  const { connection, parts } = state;
  if (connection === null || connection.state().facts !== null || connection.state().obstacle !== null)
    return current(state);
  return settledWithin(parts.clock, connection.settled).then(() => current(state));
}

async function settledWithin(clock: Clock, settled: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const cancel = clock.after(settleMs, late.resolve);
  await Promise.race([settled, late.promise]);
  cancel();
}
