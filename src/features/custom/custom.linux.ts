import type { CreateSource } from '../../core/module.ts';
import { commandEnvironmentLinux } from '../../host/linux/command-environment.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import type { Custom } from './custom.schema.ts';
import { createCustomSource } from './custom.source.ts';

export const customLinux: CreateSource<Custom, LinuxHost> = (host, context) =>
  createCustomSource(host, context, () => commandEnvironmentLinux(host));
