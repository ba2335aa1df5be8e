import { ownCommand } from '../../../lib/own-command.ts';
import { createThrottle } from '../../../lib/throttle.ts';
import type { ChatClient, ChatOptions, ChatState, Obstacle } from './chat.client.contract.ts';
import { beginLife, type Life, noSocketMs, notRunning, type RetryPause } from './chat.connection.ts';
import { chatFiles, type SetUp } from './chat.credentials.ts';
import { createOAuth, defaultOAuthUrl, type PostForm } from './chat.oauth.ts';
import type { ChatParts } from './chat.open.ts';
import { watchFiles, watchSockets } from './chat.socket-watch.ts';
import type { Sockets } from './chat.sockets.ts';
import { createDemand } from './chat.subscribers.ts';

export interface ChatClientParts extends ChatParts {
  sockets: Sockets;
  post: PostForm;
}

/** Below what an answer of the service may take. */
const settleMs = 1200;
/** Ten updates a second. */
const pauseMs = 100;
/** A socket has its name a moment before it takes connections. */
const soon: readonly number[] = [20, 100, 500];

const notSetUp = `the voice-chat application is not set up; run "${ownCommand('chat setup')}" on the machine`;

/** Connects while somebody listens or has asked a moment ago, and does nothing at all otherwise. */
export function createChatClient(parts: ChatClientParts, options: ChatOptions): ChatClient {
  const { clock, storage, sockets, environment, paths } = parts;
  const files = chatFiles(parts);
  const oauthUrl = () => environment.variable('SERVICE_CHAT_OAUTH_URL') ?? (options.oauthUrl() || defaultOAuthUrl);
  const oauth = createOAuth(parts.post, clock, oauthUrl);
  const filesWatch = watchFiles(storage, clock, paths.state, () => lookAgain());
  const socketsWatch = watchSockets(storage, sockets, () => life === null && retry(soon));
  const news = createThrottle(clock, pauseMs, () => demand.tell());
  const demand = createDemand(clock, { isHeld: () => life?.holds() === true, rest: () => rest() });
  let signature: string | null = null;
  let setUp: SetUp = { kind: 'absent' };
  let retryPause: RetryPause = { until: Number.NEGATIVE_INFINITY, obstacle: null };
  let life: Life | null = null;
  let obstacle: Obstacle = notRunning;
  let cancelRetry: (() => void) | null = null;
  let said = '';

  const clean = (sentence: string): string => {
    const { access_token = null, refresh_token = null } = files.tokens() ?? {};
    const secret = setUp.kind === 'ready' ? setUp.credentials.clientSecret : null;
    return [secret, access_token, refresh_token]
      .reduce<string>((rest, text) => (text === null ? rest : rest.replaceAll(text, '…')), sentence)
      .replace(/\p{Cc}+/gu, ' ')
      .slice(0, 300);
  };

  const announce = () => {
    const state = current();
    const sentence = state.kind === 'absent' ? '' : (state.obstacle?.sentence ?? (state.facts ? ready : ''));
    if (sentence !== '' && sentence !== said) options.log.info(`chat: ${sentence}`);
    if (sentence !== '') said = sentence;
    news.ask();
  };

  const retry = ([next, ...later]: readonly number[], afterMs = noSocketMs) => {
    cancelRetry?.();
    cancelRetry = clock.after(next ?? afterMs, () => begin(later));
  };

  const fail = (why: Obstacle, afterMs: number, soonAgain: readonly number[]) => {
    const isNews = life !== null || why.sentence !== obstacle.sentence;
    life = null;
    obstacle = why;
    if (!demand.isThere()) rest();
    else {
      // What refuses us for our credentials will not accept them because it was started anew.
      if (afterMs === noSocketMs) socketsWatch.start();
      retry(soonAgain, afterMs);
    }
    if (isNews) announce();
  };

  const begin = (soonAgain: readonly number[]) => {
    cancelRetry?.();
    cancelRetry = null;
    if (setUp.kind !== 'ready') return;
    const there = sockets.candidates((file) => storage.signature(file) !== null, storage.isOurs);
    if (there.length === 0) return fail(notRunning, noSocketMs, soonAgain);
    const mine = signature;
    const startedAt = clock.monotonic();
    // One that lasted may just have been started anew; one that did not must not be tried without end.
    const next = () => (clock.monotonic() - startedAt > noSocketMs ? soon : soonAgain);
    life = beginLife({
      clock,
      connect: parts.connectLocal,
      paths: there,
      oauth,
      files,
      credentials: setUp.credentials,
      mayAsk: options.passing !== true,
      isCurrent: () => files.signature() === mine,
      retryPause,
      clean,
      changed() {
        if (life?.state().connected) socketsWatch.stop();
        announce();
      },
      over: (end) => fail(end.obstacle, end.retryMs, end.retryMs === noSocketMs ? next() : []),
    });
  };

  const drop = () => {
    life?.end();
    life = null;
    cancelRetry?.();
    cancelRetry = null;
    socketsWatch.stop();
  };

  const rest = () => {
    drop();
    filesWatch.stop();
  };

  /** Takes the set-up as it is now, and gets going if it is there and nothing goes on yet; true: it is another one than before. */
  const wake = (wanted: () => void): boolean => {
    const now = files.signature();
    const isNew = now !== signature;
    if (isNew) {
      signature = now;
      setUp = files.setUp();
      retryPause = { until: Number.NEGATIVE_INFINITY, obstacle: null };
      obstacle = notRunning;
      drop();
    }
    if (setUp.kind === 'ready') wanted();
    if (setUp.kind === 'ready' || demand.isFollowed()) filesWatch.start();
    else filesWatch.stop();
    if (life === null && cancelRetry === null) begin([]);
    return isNew;
  };

  const lookAgain = () => {
    if (wake(() => {})) announce();
  };

  const current = (): ChatState => {
    if (setUp.kind === 'broken') return { kind: 'absent', sentence: setUp.sentence };
    if (setUp.kind === 'absent') return { kind: 'absent', sentence: notSetUp };
    return { kind: 'present', ...(life?.state() ?? { connected: false, facts: null, obstacle }) };
  };

  const state = (): ChatState | Promise<ChatState> => {
    wake(demand.ask);
    const under = life;
    if (under === null || under.state().facts !== null || under.state().obstacle !== null) return current();
    return soonest(under.settled).then(current);
  };

  const soonest = async (settled: Promise<void>) => {
    const late = Promise.withResolvers<void>();
    const cancel = clock.after(settleMs, late.resolve);
    await Promise.race([settled, late.promise]);
    cancel();
  };

  return {
    state,
    follow(changed) {
      const stop = demand.follow(changed);
      wake(() => {});
      return stop;
    },
    async command(request, take) {
      const known = await state();
      if (known.kind === 'absent') throw new Error(known.sentence);
      if (life === null || known.facts === null)
        throw new Error(known.obstacle?.sentence ?? 'the voice-chat application has not answered yet; try again');
      return await life.command(request, take);
    },
    close() {
      demand.close();
      news.cancel();
      rest();
    },
  };
}

const ready = 'the voice-chat application is connected';
