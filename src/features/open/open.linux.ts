import { NoOpener, type OpenerHost, openOnDesktop, whyNotOpen } from '../../host/linux/desktop/open-target.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';
import type { Opener } from './open.contract.ts';

export const openerLinux = (host: OpenerHost): Opener => ({
  unavailable: () => unavailable(host),
  open: (target) => open(host, target),
});

async function open(host: OpenerHost, target: string): Promise<void> {
  try {
    await openOnDesktop(host, target);
  } catch (cause) {
    const code = cause instanceof NoOpener ? 'unsupported' : 'failed';
    throw new ServiceError(code, `The target could not be opened: ${messageOf(cause)}`, { cause });
  }
}

async function unavailable(host: OpenerHost): Promise<string | null> {
  const reason = await whyNotOpen(host);
  return reason === null ? null : `Nothing can be opened: ${reason}`;
}
