import { createContext } from './context.ts';
import { exitCodeOf } from './exit.ts';
import { findService } from './running-service.ts';

/** Passes a press on a notification to the running service. An address that it does not know has no effect. */
export async function runToastPressed([, address = '']: string[]): Promise<number> {
  return await exitCodeOf(async () => {
    const { host } = await createContext();
    const service = await findService(host);
    if (service === null) throw new Error('Hostler is not running, so the press has no effect');
    await service.post('/press', { address });
  });
}
