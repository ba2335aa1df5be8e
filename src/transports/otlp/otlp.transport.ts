import { defineTransport } from '../../core/transport.ts';
import { messageOf } from '../../lib/errors.ts';
import { jsonResponse } from '../http/respond.ts';
import type { OtlpPush } from './push.ts';

/** Exports metrics to an OTLP collector. Nothing is loaded while no address is set. */
export const otlpTransport = defineTransport({
  name: 'otlp',
  start(parts) {
    const { settings, log, routeTable } = parts;
    let running: { wanted: string; push: OtlpPush | null; isOver: boolean } | null = null;
    const end = () => {
      if (running !== null) {
        running.isOver = true;
        running.push?.stop();
      }
      running = null;
    };
    const follow = () => {
      const { otlp } = settings.current();
      const wanted = JSON.stringify(otlp);
      if (running?.wanted === wanted) return;
      end();
      if (otlp.endpoint === '') return;
      const own: NonNullable<typeof running> = { wanted, push: null, isOver: false };
      running = own;
      import('./start.ts')
        .then(({ startOtlp }) => startOtlp(parts))
        .then((push) => {
          own.push = push;
          if (own.isOver) push.stop();
        })
        .catch((error: unknown) => log.error(`otlp: nothing is sent: ${messageOf(error)}`));
    };
    routeTable.local.set('/otlp', { GET: () => jsonResponse(running?.push?.report() ?? null) });
    const unfollow = settings.onChange(follow);
    follow();
    return {
      async stop() {
        unfollow();
        end();
      },
    };
  },
});
