import type { Host } from '../host.ts';
import type { NativeLibrary } from '../native-library.ts';
import type { WindowsMessages } from './messages.ts';
import type { Native } from './native/native.ts';
import type { Elsewhere } from './native-threads.ts';

/** What a Windows machine has beside what every machine has. */
export interface WindowsHost extends Host {
  platform: 'windows';
  /** Windows' libraries, those that several features need or one that a feature declares; not loaded before the first call. */
  native(): Promise<Native>;
  native<T extends object>(library: NativeLibrary<T>): Promise<T>;
  /** What Windows tells every window: sleep, shutdown, the battery. */
  messages: WindowsMessages;
  /** One of them, called in a thread of its own: for those that talk to other programs and may hang with them. */
  nativeElsewhere<K extends keyof Native>(library: K): Elsewhere<Native[K]>;
  nativeElsewhere<T extends object>(library: NativeLibrary<T>): Elsewhere<T>;
}
