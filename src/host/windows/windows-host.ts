import type { Host } from '../host.ts';
import type { Native } from './native/native.ts';

/** What a Windows machine has beside what every machine has. */
export interface WindowsHost extends Host {
  platform: 'windows';
  /** Windows' libraries; not loaded before somebody asks. */
  native(): Promise<Native>;
}
