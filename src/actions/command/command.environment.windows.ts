import { programEnvironment } from '../../host/windows/programs.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';

/** What programs of Windows need to start, and nothing of ours. */
export const commandEnvironmentWindows = async ({
  environment,
}: Pick<WindowsHost, 'environment'>): Promise<Record<string, string>> => programEnvironment(environment.variable);
