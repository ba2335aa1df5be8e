import type { AlertBoard } from '../core/alert-state.ts';
import { type Alerts, type AlertTest, noAlerts } from '../core/alerts.ts';
import type { FollowedSettings } from '../core/transport.ts';
import type { Host } from '../host/host.ts';
import { messageOf, ServiceError } from '../lib/errors.ts';
import type { EngineParts } from './engine.state.ts';
import type { AlertEngine } from './engine.ts';
import { testResult } from './notification.ts';

export interface AlertsParts extends Omit<EngineParts, 'host' | 'send' | 'show' | 'settings' | 'random'> {
  host: Host;
  settings: FollowedSettings;
  board: AlertBoard;
  /** Shows a notification on the screen of this machine. Rejects with a sentence. */
  showOnScreen(title: string, text: string): Promise<void>;
}

export interface RunningAlerts extends Alerts {
  stop(): void;
}

/** Watches the rules of the settings. Without rules the engine is not loaded. */
export function startAlerts({ settings, board, showOnScreen, ...parts }: AlertsParts): RunningAlerts {
  const { host, log } = parts;
  let running: Promise<AlertEngine> | null = null;
  let followed = '';
  let isStopped = false;

  const start = async () => {
    const [{ startEngine }, { createAlertSender }] = await Promise.all([
      import('./engine.ts'),
      import('./notifiers.ts'),
    ]);
    const random = Math.random;
    const send = createAlertSender(host, settings.current, showOnScreen);
    return startEngine({ ...parts, send, random, show: board.show, settings: settings.current });
  };

  const testTarget = async (id: string, signal: AbortSignal): Promise<AlertTest> => {
    const { createAlertSender } = await import('./notifiers.ts');
    const now = host.clock.now();
    const alert = { id, name: id, condition: '', text: '', value: null, threshold: null, unit: null, since: now };
    const message = { id: `msg_${crypto.randomUUID()}`, type: 'alert.test' as const, at: now, alert };
    const sent = { ...message, machine: host.environment.hostname(), priority: 'normal' as const };
    const outcome = await createAlertSender(host, settings.current, showOnScreen)(id, sent, signal);
    return { id, results: [testResult(parts.log, id, id, outcome)] };
  };

  const end = () => {
    void running?.then((engine) => engine.stop());
    running = null;
    board.show(noAlerts);
  };

  const follow = () => {
    const { alerts, history, custom } = settings.current();
    // The set of series depends on these settings.
    const wanted = JSON.stringify([alerts.rules, alerts.quiet, history, custom]);
    if (isStopped || wanted === followed) return;
    followed = wanted;
    if (alerts.rules.length === 0) {
      if (running !== null) end();
      return;
    }
    running ??= start();
    running
      .then((engine) => engine.follow())
      .catch((error) => log.error(`alerts: the rules cannot be evaluated: ${messageOf(error)}`));
  };

  const stopFollowing = settings.onChange(follow);
  follow();
  return {
    current: board.current,
    onChange: board.onChange,
    async test(id, signal) {
      const { rules, targets } = settings.current().alerts;
      if (targets.some((target) => target.id === id) && !rules.some((rule) => rule.id === id))
        return await testTarget(id, signal);
      const engine = await running;
      if (engine === null)
        throw new ServiceError('not_found', 'There are no alert rules yet; add one to alerts.rules in the settings');
      return await engine.test(id, signal);
    },
    stop() {
      isStopped = true;
      stopFollowing();
      void running?.then((engine) => engine.stop());
    },
  };
}
