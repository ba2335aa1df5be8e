import type { Host } from '../host/host.ts';
import { messageOf } from '../lib/errors.ts';
import type { Settings } from '../settings/settings.schema.ts';
import { type AlertOutcome, messageInWords, type SendAlert } from './notification.ts';
import { postWebhook } from './webhook.ts';

/** Sends by name of the way: screen, mqtt, or the id of a webhook or target. */
export function createAlertSender(
  host: Pick<Host, 'post' | 'connect' | 'storage' | 'sealing' | 'clock' | 'paths' | 'environment'>,
  settings: () => Pick<Settings, 'alerts' | 'mqtt'>,
  showOnScreen: (title: string, text: string) => Promise<void>,
): SendAlert {
  const failed = (error: string, retry: boolean): AlertOutcome => ({ ok: false, error, retry, askedForMs: null });
  return async (way, message, signal, others = []) => {
    const { alerts, mqtt } = settings();
    if (way === 'mqtt') {
      // The module alerts publishes the state over MQTT.
      if (mqtt.url === '') return failed('no broker is configured; run the command "mqtt setup"', false);
      return mqtt.modules.length === 0 || mqtt.modules.includes('alerts')
        ? { ok: true }
        : failed('mqtt.modules does not name alerts', false);
    }
    if (way === 'screen') {
      const { title, text } = messageInWords(message);
      return await showOnScreen(title, text).then(
        () => ({ ok: true }) as const,
        (error) => failed(messageOf(error), true),
      );
    }
    const target = alerts.targets.find(({ id }) => id === way);
    if (target !== undefined) {
      const { sendToTarget } = await import('./targets/send-target.ts');
      return await sendToTarget(host, target, [message, ...others], signal);
    }
    const webhook = alerts.webhooks.find(({ id }) => id === way);
    return webhook === undefined
      ? failed('this recipient no longer exists', false)
      : await postWebhook(host, webhook, message, signal);
  };
}
