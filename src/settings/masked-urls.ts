import { ServiceError } from '../lib/errors.ts';
import { isMaskedUrl, isMaskOf, maskUrl } from '../lib/mask-url.ts';
import { isObject } from '../lib/values.ts';
import type { Settings } from './settings.schema.ts';

/** The settings for a caller: URLs that this caller may not change are masked. `keys`: see SettingsCatalogue.secretUrls. */
export function maskSettings(
  settings: Settings,
  keys: readonly string[],
  mayChange: (key: string) => boolean,
): Settings {
  const masked = structuredClone(settings);
  for (const { setting, urls } of keys.map((key) => secretUrlsIn(masked, key)))
    if (!mayChange(setting)) for (const url of urls) url.set(maskUrl(url.value));
  return masked;
}

/** Replaces each masked URL in a change by the URL it stands for. Throws if there is none. */
export function restoreMasked(settings: Settings, keys: readonly string[], patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const restored = structuredClone(patch);
  for (const key of keys) {
    const known = secretUrlsIn(settings, key).urls;
    const { setting, urls } = secretUrlsIn(restored, key);
    for (const url of urls) {
      const candidates = known.filter(({ id }) => id === url.id).map(({ value }) => value);
      url.set(restoredUrl(url.value, candidates, setting));
    }
  }
  return restored;
}

interface SecretUrl {
  /** Of the list entry; null: not in a list. */
  id: unknown;
  value: string;
  set(value: string): void;
}

/** The URLs of a key, and the setting they belong to: `mqtt.url` itself, or `alerts.webhooks` for `alerts.webhooks.url`. */
function secretUrlsIn(settings: Record<string, unknown>, key: string): { setting: string; urls: SecretUrl[] } {
  const [section = '', name = '', field] = key.split('.');
  const inner = settings[section];
  if (field === undefined) return { setting: key, urls: urlIn(inner, name, null) };
  const entries = isObject(inner) ? inner[name] : undefined;
  const urls = Array.isArray(entries)
    ? entries.flatMap((entry: unknown) => urlIn(entry, field, isObject(entry) ? entry.id : null))
    : [];
  return { setting: `${section}.${name}`, urls };
}

function urlIn(holder: unknown, name: string, id: unknown): SecretUrl[] {
  if (!isObject(holder) || typeof holder[name] !== 'string') return [];
  const set = (value: string) => {
    holder[name] = value;
  };
  return [{ id, value: holder[name], set }];
}

function restoredUrl(given: string, known: readonly string[], key: string): string {
  if (!isMaskedUrl(given)) return given;
  const meant = known.find((url) => isMaskOf(given, url));
  if (meant !== undefined) return meant;
  throw new ServiceError('invalid', `${key} has the masked address ${given}; send the whole address`);
}
