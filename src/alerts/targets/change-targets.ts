import type { Host } from '../../host/host.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { AlertRule, AlertTarget } from '../alerts.settings.schema.ts';
import { readTargetUrls, writeTargetUrl } from './target-store.ts';
import { openAlertTarget, shownTarget } from './targets.ts';

type Parts = Pick<Host, 'storage' | 'sealing' | 'paths'>;
/** Saves this list in the settings; rejects where they do not allow it. */
type SaveTargets = (targets: { id: string }[]) => Promise<unknown>;

/** What may be shown of a target. */
export interface ListedTarget {
  id: string;
  /** Scheme and server; null: it has no URL. */
  url: string | null;
  /** Ids of the rules that name it. */
  rules: string[];
}

export async function listTargets(
  host: Parts,
  { targets, rules }: { targets: readonly AlertTarget[]; rules: readonly AlertRule[] },
): Promise<ListedTarget[]> {
  const urls = await readTargetUrls(host);
  return await Promise.all(
    targets.map(async ({ id }) => {
      const url = urls.get(id);
      const shown = url === undefined ? null : await openAlertTarget(url).then(shownTarget, () => 'not valid');
      return { id, url: shown, rules: rules.filter(({ notify }) => notify.includes(id)).map((rule) => rule.id) };
    }),
  );
}

/** Adds a target, or replaces the URL of one. */
export async function addTarget(
  host: Parts,
  targets: readonly AlertTarget[],
  { id, url }: { id: string; url: string },
  save: SaveTargets,
): Promise<void> {
  const ids = targets.map((target) => target.id);
  // A running service uses a target as soon as the settings have it.
  await writeTargetUrl(host, id, url, [...ids, id]);
  if (ids.includes(id)) return;
  try {
    await save([...targets, { id }]);
  } catch (error) {
    await writeTargetUrl(host, id, null, ids);
    throw error;
  }
}

export async function removeTarget(
  host: Parts,
  targets: readonly AlertTarget[],
  id: string,
  save: SaveTargets,
): Promise<void> {
  const rest = targets.filter((target) => target.id !== id);
  if (rest.length === targets.length) throw new ServiceError('not_found', `There is no target ${JSON.stringify(id)}`);
  // Rejected while a rule names it.
  await save(rest);
  const left = rest.map((target) => target.id);
  await writeTargetUrl(host, id, null, left);
}
