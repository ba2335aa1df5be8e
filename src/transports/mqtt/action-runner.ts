import { type Audit, createAudit } from '../../access/audit/audit.ts';
import type { ActionDefinition, ActionResult } from '../../core/action.ts';
import { actionInWords, orderInWords } from '../../core/action-words.ts';
import { brokerId, type Caller } from '../../core/caller.ts';
import type { EntityEvent } from '../../core/readings/entities.ts';
import type { TransportParts } from '../../core/transport.ts';
import { ServiceError, toServiceError } from '../../lib/errors.ts';
import { withoutSecrets } from '../../lib/mask-url.ts';
import { shownText } from '../../lib/printable-text.ts';
import { createBudget } from './budget.ts';

type Parts = Pick<TransportParts, 'service' | 'host' | 'log' | 'settings'>;

const mostBusy = 8;
const counted = { most: 60, withinMs: 10_000 };

export type ActionRunner = ReturnType<typeof createActionRunner>;

/** Runs actions for clients of the broker within the granted scopes, and records them in the audit log. */
export function createActionRunner(
  { service, host, log, settings }: Parts,
  broker: string,
  event: (event: EntityEvent) => void,
) {
  const audit: Audit = createAudit(host, log.warn);
  const gone = new AbortController();
  let busy = 0;
  const hasRoom = createBudget(host.clock, counted);

  const caller = (): Caller => ({
    tokenName: 'mqtt',
    tokenId: brokerId,
    scopes: new Set(settings.current().mqtt.scopes),
    // Never this machine: a publisher can be anywhere.
    connection: () => ({ address: broker, forwarded: true, isOurUser: async () => false }),
  });

  const refuseTooMany = () => {
    if (!hasRoom() || busy >= mostBusy)
      throw new ServiceError('rate_limited', 'Too many actions are requested at once');
  };

  const carryOut = async (action: ActionDefinition, input: unknown): Promise<ActionResult> => {
    const changes = action.effect !== 'read';
    let said: object | null = null;
    const note = (decision: string) => {
      audit(
        { client: 'mqtt', token: 'mqtt', tool: action.name, arguments: said, decision },
        changes && decision !== 'refused' ? 'mqtt' : 'reading',
      );
      // One line for each action: its start is in the audit log only.
      if (!changes || decision === 'refused' || decision === 'started') return;
      const what = orderInWords(actionInWords(action, input, settings.current()), 'MQTT');
      service.history.note('mqtt', decision === 'done' ? what : `${what}: ${decision.replaceAll('_', ' ')}`);
    };
    const entities = (await action.entities?.()) ?? null;
    const notify = (type: string, data: unknown) => {
      const text = entities?.onMessage?.(type, data) ?? null;
      if (text !== null) event(text);
    };
    try {
      const result = await service.perform(action, input, caller(), {
        notify,
        report: notify,
        gone: () => gone.signal,
        starting(checked) {
          if (action.effect !== 'disrupt') return;
          said = action.agent?.tool.unlogged === undefined ? recordable(action, checked) : null;
          // Recorded before the action: it may end this service.
          note('started');
        },
      });
      note('done');
      const done = entities?.onDone?.(result) ?? null;
      if (done !== null) event(done);
      return result;
    } catch (thrown) {
      const error = toServiceError(thrown);
      if (!(thrown instanceof ServiceError)) log.error(`mqtt: ${action.name} failed unexpectedly`, thrown);
      // Any publisher can cause these at any rate: recorded where they displace no other entries.
      note(error.code === 'forbidden' || error.code === 'invalid' ? 'refused' : `${error.code}`);
      throw error;
    }
  };

  return {
    async perform(action: ActionDefinition, input: unknown): Promise<ActionResult> {
      refuseTooMany();
      // Counted before the first await: otherwise a burst would pass the check.
      busy++;
      try {
        return await carryOut(action, input);
      } finally {
        busy--;
      }
    },
    /** Cancels running actions, except those that must complete. */
    stop: () => gone.abort(),
  };
}

const longestValue = 500;

/** Without secrets, and cut: a publisher cannot displace the other entries. */
function recordable({ unlogged }: ActionDefinition, input: object): object {
  const shown = (value: unknown) =>
    shownText(withoutSecrets(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')), longestValue);
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, unlogged?.includes(name) ? '(not recorded)' : shown(value)]),
  );
}
