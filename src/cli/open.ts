import { createShowOnScreen } from '../app/prompts/show-notice.ts';
import { type PerPlatform, requireFor } from '../core/platform.ts';
import { messageOf } from '../lib/errors.ts';
import { isObject } from '../lib/values.ts';
import { localRoutes } from '../transports/http/routes/local.ts';
import type { CliContext } from './context.ts';
import { requireService } from './running-service.ts';

/** A page, by its path. */
const openers: PerPlatform<(file: string) => Promise<void>> = {
  linux: async () => {
    const { openOnDesktop } = await import('../host/linux/desktop/open-target.ts');
    return (host) => (file) => openOnDesktop(host, `file://${file.split('/').map(encodeURIComponent).join('/')}`);
  },
  windows: async () => {
    const { openPage } = await import('./open.windows.ts');
    return (host) => (file) => openPage(host, file);
  },
};

export interface OpenOptions {
  print?: boolean;
  /** Messages go into a log or onto the screen, which must not contain the code. */
  intoLog?: boolean;
}

/** For menus: their user sees no terminal, so errors are also shown on the screen. */
export async function openFromMenu(context: CliContext, options: OpenOptions): Promise<void> {
  try {
    // A one-time code does not belong in the history of notifications.
    await openDashboard(context, { ...options, intoLog: true });
  } catch (error) {
    // Without notifications the error is only in the log.
    await createShowOnScreen(context.host)('Hostler', messageOf(error)).catch(() => {});
    throw error;
  }
}

/**
 * Opens a page that the service has written for this user only; the page submits its one-time code. So the code is in no argument list,
 * environment or address, where every user of the machine could read it.
 */
export async function openDashboard(
  {
    host,
    print,
    complain,
    isJson,
    answer,
    command,
  }: Pick<CliContext, 'host' | 'print' | 'complain' | 'isJson' | 'answer' | 'command'>,
  { print: onlyPrint = false, intoLog = false }: OpenOptions,
): Promise<void> {
  const service = await requireService({ host, command });
  const address = `${service.base}/`;
  const offer = await service.post(localRoutes.signIn);
  const { code, file, seconds } = isObject(offer) ? offer : {};
  const byHand = `open ${address} and enter the code ${code} within ${seconds} seconds`;
  if (onlyPrint || isJson) return await answer({ address, code, seconds }, `To sign in, ${byHand}`);
  try {
    if (typeof file !== 'string') throw new Error('the sign-in page could not be written');
    const open = await requireFor(host, openers, 'Starting the browser');
    await open(file);
  } catch (error) {
    const failure = `The browser could not be started: ${messageOf(error)}`;
    throw new Error(intoLog ? failure : `${failure}. To sign in by hand, ${byHand}`);
  }
  print(`The dashboard is open in the browser: ${address}`);
  if (!intoLog) complain(`If the browser shows something else, ${byHand}`);
}
