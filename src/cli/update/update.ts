import { ownPage } from '../../app/own-page.ts';
import { loadFor, type PerPlatform } from '../../core/platform.ts';
import type { CliContext } from '../context.ts';

const platforms: PerPlatform<string | null> = {
  linux: async () => (await import('../../app/installation/linux/package-update.ts')).packageUpdate,
};

/** Hostler does not update itself: this names the command that does. */
export async function explainUpdate({ host }: Pick<CliContext, 'host'>): Promise<never> {
  const command = (await loadFor(host, platforms))?.() ?? null;
  throw new Error(
    command === null
      ? `Hostler does not update itself; ${ownPage('install')} explains how to install a new version`
      : `Hostler does not update itself: download the new package, verify it as ${ownPage('install')} explains, and run "${command}" with its version`,
  );
}
