import { replies } from '@hostler/client/events.ts';
import { allScopes, modules } from '../../../src/features/index.ts';
import { createDashboard } from '../../../src/transports/http/routes/dashboard.ts';
import { readWebPack } from '../../../src/transports/http/server.assets.ts';
import type { RecordedMachine } from './recorded-machines.ts';

export interface PretendedService extends AsyncDisposable {
  base: string;
}

/** The page of the dashboard, with a stand-in for the service that returns recorded payloads repeatedly. */
export function pretendService(machine: RecordedMachine): PretendedService {
  const dashboard = createDashboard(readWebPack);
  const timers = new Set<ReturnType<typeof setInterval>>();
  const session = { id: 'browser-1', name: 'A browser', scopes: allScopes, token: 'any', stay: true };
  const answers: Record<string, () => unknown> = {
    '/api/login': () => ({ token: 'any', expires_in: 300, session }),
    '/api/sessions': () => ({ token: 'any', expires_in: 300, session }),
    '/api/sessions/challenge': () => ({ challenge: 'any' }),
    '/api/modules': () => modules.map(({ name, description }) => stateOf(name, description, name in machine)),
    '/api/actions': () => [],
    '/api/history': () => ({
      from: 0,
      to: 0,
      step: 1,
      recording: false,
      series: [],
      processes: [],
      events: [],
      names: [],
    }),
    '/api/health': () => ({ timestamp: new Date().toISOString() }),
    '/api/control': () => ({ paused: false, since: null, until: null, by: null }),
    '/api/power/pending': () => ({ pending: null }),
  };
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request, self) {
      const { pathname } = new URL(request.url);
      if (pathname === '/api/websocket') return self.upgrade(request) ? undefined : new Response(null, { status: 400 });
      const answer = answers[pathname];
      return answer === undefined ? dashboard(pathname, request.headers) : Response.json(answer());
    },
    websocket: {
      message(socket, text) {
        const { id, event, data }: { id: string; event: string; data?: { modules?: string[] } } = JSON.parse(
          String(text),
        );
        const emit = (message: object) => void socket.send(JSON.stringify({ subtype: 'NONE', data: null, ...message }));
        emit({ id, type: replies[event] ?? 'ERROR', data });
        if (event !== 'REGISTER_DATA_LISTENER') return;
        const known = (data?.modules ?? []).filter((module) => module in machine);
        const push = () => {
          for (const module of known) emit({ id: 'system', type: 'DATA_UPDATE', module, data: machine[module] });
        };
        push();
        timers.add(setInterval(push, 1000));
      },
    },
  });
  return {
    base: `http://127.0.0.1:${server.port}`,
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearInterval(timer);
      await server.stop(true);
    },
  };
}

const stateOf = (name: string, description: string, isThere: boolean) => ({
  name,
  description,
  interval_ms: 1000,
  availability: isThere ? 'available' : 'unavailable',
  reasons: isThere ? [] : [{ field: null, reason: `This machine has no ${name}`, mendable: false }],
});
