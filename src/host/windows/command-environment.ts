import { programEnvironment } from './programs.ts';
import type { WindowsHost } from './windows-host.ts';

/** The variables that programs of Windows need, without those of the service. */
export const commandEnvironmentWindows = async ({
  environment,
}: Pick<WindowsHost, 'environment'>): Promise<Record<string, string>> => programEnvironment(environment.variable);
