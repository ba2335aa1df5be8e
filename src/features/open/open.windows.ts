import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { Opener } from './open.contract.ts';

/** https://learn.microsoft.com/windows/win32/api/shellapi/nf-shellapi-shellexecutew */
const problems: Partial<Record<number, string>> = {
  2: 'it does not exist',
  3: 'it does not exist',
  5: 'Windows does not allow it',
  31: 'no program for it is installed',
};
export const openerWindows = (host: WindowsHost): Opener => ({
  unavailable: async () => null,
  async open(target) {
    const { shell32 } = await host.native();
    const outcome = shell32.open(target);
    if (outcome > 32) return;
    const sentence = problems[outcome] ?? `Windows answers with error ${outcome}`;
    throw new ServiceError(outcome === 31 ? 'unsupported' : 'failed', `The target could not be opened: ${sentence}`);
  },
});
