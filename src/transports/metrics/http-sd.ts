import type { Clock } from '../../lib/clock.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';
import { findServices, type SearchParts } from '../discovery/find-services.ts';
import { type TargetGroup, toTargetGroups } from '../discovery/prometheus-targets.ts';
import { sameOriginOnly } from '../http/respond.ts';
import { metricsOff } from './metrics.ts';

export interface TargetParts {
  open: SearchParts['open'];
  through(): readonly string[];
  clock: Clock;
}

const searchMs = 3000;
/** Prometheus requests once a minute; more frequent requests get the last result. */
const keptMs = 30_000;

/** Prometheus HTTP service discovery. */
export function createTargetsResponse(parts: TargetParts): (isEnabled: boolean) => Promise<Response> {
  const targets = createTargets(parts);
  return async (isEnabled) => {
    if (!isEnabled) throw new ServiceError('not_found', metricsOff);
    const headers = { ...sameOriginOnly, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
    return Response.json(await targets(), { headers });
  };
}

/** The services on the network as Prometheus targets. Concurrent and later requests share one search for a while. */
export function createTargets({ open, through, clock }: TargetParts): () => Promise<TargetGroup[]> {
  let last: { at: number; groups: Promise<TargetGroup[]> } | null = null;
  const search = async (): Promise<TargetGroup[]> => {
    try {
      const interfaces = through();
      // No network is not an error.
      return interfaces.length === 0
        ? []
        : toTargetGroups(await findServices({ open, through: interfaces, clock }, searchMs));
    } catch (error) {
      last = null;
      throw new ServiceError('failed', messageOf(error), { cause: error });
    }
  };
  return () => {
    if (last === null || clock.monotonic() - last.at > keptMs) last = { at: clock.monotonic(), groups: search() };
    return last.groups;
  };
}
