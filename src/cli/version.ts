import { version } from '../app/version.ts';
import type { CliContext } from './context.ts';
import { findService } from './running-service.ts';

export async function printVersion({ host, answer }: CliContext): Promise<void> {
  const running = (await findService(host).catch(() => null))?.version ?? null;
  const isOther = running !== null && running !== version;
  const restart = isOther ? `\nThe running service has version ${running}: restart it to use ${version}.` : '';
  await answer({ version, running }, `${version}${restart}`);
}
