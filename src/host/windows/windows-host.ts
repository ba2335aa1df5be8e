import type { Host } from '../host.ts';
import type { NativeLibrary } from '../native-library.ts';
import type { WindowsMessages } from './messages.ts';
import type { Native } from './native/native.ts';
import type { Elsewhere } from './native-threads.ts';
import type { ToastPresses } from './toast-presses.ts';

/** The parts of a Windows machine besides those of every machine. */
export interface WindowsHost extends Host {
  platform: 'windows';
  /** Windows' libraries, those that several features need or one that a feature declares; not loaded before the first call. */
  native(): Promise<Native>;
  native<T extends object>(library: NativeLibrary<T>): Promise<T>;
  presses: ToastPresses;
  /** The broadcasts of Windows: sleep, shutdown, the battery. */
  messages: WindowsMessages;
  /** A library in its own thread: for those that communicate with other programs and may hang. */
  nativeElsewhere<K extends keyof Native>(library: K): Elsewhere<Native[K]>;
  nativeElsewhere<T extends object>(library: NativeLibrary<T>): Elsewhere<T>;
}
