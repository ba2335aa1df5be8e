import { programEnvironment } from './programs.ts';
import type { WindowsHost } from './windows-host.ts';

/** What programs of Windows need to start, and nothing of ours. */
export const commandEnvironmentWindows = async ({
  environment,
}: Pick<WindowsHost, 'environment'>): Promise<Record<string, string>> => programEnvironment(environment.variable);
