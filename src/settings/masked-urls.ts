import { ServiceError } from '../lib/errors.ts';
import { isMaskedUrl, isMaskOf, maskUrl } from '../lib/mask-url.ts';
import { isObject } from '../lib/values.ts';
import { settingAt } from './locks.ts';
import type { Settings } from './settings.schema.ts';

/** dashboard.machines is not among these: browsers connect to these addresses, and authenticate otherwise. */
const urlKeys = ['mqtt.url', 'otlp.endpoint', 'chat.oauthUrl', 'releases.url'];
const webhooksKey = 'alerts.webhooks';

/** The settings for a caller: URLs that this caller may not change are masked. */
export function maskSettings(settings: Settings, mayChange: (key: string) => boolean): Settings {
  const masked = structuredClone(settings);
  const { mqtt, otlp, chat, releases, alerts } = masked;
  if (!mayChange('mqtt.url')) mqtt.url = maskUrl(mqtt.url);
  if (!mayChange('otlp.endpoint')) otlp.endpoint = maskUrl(otlp.endpoint);
  if (!mayChange('chat.oauthUrl')) chat.oauthUrl = maskUrl(chat.oauthUrl);
  if (!mayChange('releases.url')) releases.url = maskUrl(releases.url);
  if (!mayChange(webhooksKey)) for (const webhook of alerts.webhooks) webhook.url = maskUrl(webhook.url);
  return masked;
}

/** A change in which every masked URL is again the URL that it stands for. Throws if there is none. */
export function restoreMasked(settings: Settings, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const restored = structuredClone(patch);
  for (const key of urlKeys) {
    const [section = '', name = ''] = key.split('.');
    const inner = restored[section];
    if (isObject(inner) && typeof inner[name] === 'string')
      inner[name] = restoredUrl(inner[name], [settingAt(settings, key)], key);
  }
  const webhooks = settingAt(restored, webhooksKey);
  if (!Array.isArray(webhooks)) return restored;
  for (const webhook of webhooks) {
    if (!isObject(webhook) || typeof webhook.url !== 'string') continue;
    const known = settings.alerts.webhooks.filter(({ id }) => id === webhook.id).map(({ url }) => url);
    webhook.url = restoredUrl(webhook.url, known, webhooksKey);
  }
  return restored;
}

function restoredUrl(given: string, known: unknown[], key: string): string {
  if (!isMaskedUrl(given)) return given;
  const meant = known.find((url): url is string => typeof url === 'string' && isMaskOf(given, url));
  if (meant !== undefined) return meant;
  throw new ServiceError('invalid', `${key} has the masked address ${given}; send the whole address`);
}
