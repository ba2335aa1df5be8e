import { liveIntervals } from '@hostler/client/events.ts';
import { pause } from '../harness/harness.ts';

/** What clients do in ordinary use, until they are stopped. */
export interface Clients {
  outcome(): Outcome;
  stop(): Promise<void>;
}

export interface Outcome {
  answers: number;
  pushes: number;
  visits: number;
  refused: number;
  /** How often a listener had to connect again. */
  lost: number;
  /** One line each; the first of them. */
  unexpected: string[];
}

const listeners = 4;
const pollMs = 5000;
const scrapeMs = 15_000;
const wrongMs = 20_000;
const visitMs = 20_000;
const answerLimitMs = 60_000;
const maxUnexpected = 50;

/** Four listeners of everything, one that connects and disconnects, polls of every module, a scraper, and a client with a wrong token. */
export function startClients({
  port,
  token,
  modules,
  elapsed,
}: {
  port: number;
  token: string;
  modules: string[];
  elapsed(): number;
}): Clients {
  const outcome: Outcome = { answers: 0, pushes: 0, visits: 0, refused: 0, lost: 0, unexpected: [] };
  const stopping = new AbortController();
  const note = (text: string) => {
    if (outcome.unexpected.length < maxUnexpected)
      outcome.unexpected.push(`${Math.round(elapsed() / 1000)} s: ${text}`);
  };
  const stopped = () => stopping.signal.aborted;

  const listen = (): WebSocket => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/websocket`);
    socket.onopen = () =>
      socket.send(
        JSON.stringify({
          token,
          id: 'all',
          event: 'REGISTER_DATA_LISTENER',
          data: { modules, interval: liveIntervals },
        }),
      );
    socket.onmessage = ({ data }) => {
      if (String(data).includes('"DATA_UPDATE"')) outcome.pushes += 1;
    };
    return socket;
  };
  const ended = (socket: WebSocket) =>
    new Promise<void>((resolve) => {
      socket.onclose = () => resolve();
      stopping.signal.addEventListener('abort', () => socket.close(), { once: true });
    });
  const listenForGood = async () => {
    while (!stopped()) {
      await ended(listen());
      if (stopped()) return;
      outcome.lost += 1;
      note('a listener lost its connection');
      await pause(1000);
    }
  };
  const comeAndGo = async () => {
    while (!stopped()) {
      const socket = listen();
      await pause(visitMs);
      socket.close();
      outcome.visits += 1;
      await pause(visitMs / 2);
    }
  };
  const ask = async (route: string, secret: string, expected: number[]) => {
    const status = await fetch(`http://127.0.0.1:${port}${route}`, {
      headers: { 'X-API-Token': secret },
      signal: AbortSignal.timeout(answerLimitMs),
    }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      (error) => String(error),
    );
    if (status === 200) outcome.answers += 1;
    if (status === 401 || status === 429) outcome.refused += 1;
    if (!expected.some((each) => each === status)) note(`${route}: ${status}`);
  };
  const every = async (ms: number, act: () => Promise<void>) => {
    while (!stopped()) {
      await act();
      await pause(ms);
    }
  };
  const all = [
    ...Array.from({ length: listeners }, listenForGood),
    comeAndGo(),
    every(pollMs, async () => {
      for (const name of modules) if (!stopped()) await ask(`/api/data/${name}`, token, [200]);
    }),
    every(scrapeMs, () => ask('/metrics', token, [200])),
    every(wrongMs, () => ask('/api/data/memory', 'wrong', [401, 429])),
  ];
  return {
    outcome: () => outcome,
    async stop() {
      stopping.abort();
      await Promise.all(all);
    },
  };
}
