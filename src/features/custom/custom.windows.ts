import type { CreateSource } from '../../core/module.ts';
import { commandEnvironmentWindows } from '../../host/windows/command-environment.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import type { Custom } from './custom.schema.ts';
import { createCustomSource } from './custom.source.ts';

export const customWindows: CreateSource<Custom, WindowsHost> = (host, context) =>
  createCustomSource(host, context, () => commandEnvironmentWindows(host));
