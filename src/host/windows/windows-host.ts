import type { Host } from '../host.ts';

/** What a Windows machine has beside what every machine has. */
export interface WindowsHost extends Host {
  platform: 'windows';
}
