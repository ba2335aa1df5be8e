import type { EnginePipes } from '../../features/containers/engine-pipes.windows.ts';
import type { EncodePicture } from '../../features/screen/pictures/pictures.ts';
import type { Host } from '../host.ts';
import type { WindowsMessages } from './messages.ts';
import type { Native } from './native/native.ts';
import type { Elsewhere } from './native-threads.ts';

/** What a Windows machine has beside what every machine has. */
export interface WindowsHost extends Host {
  platform: 'windows';
  /** Windows' libraries; not loaded before somebody asks. */
  native(): Promise<Native>;
  /** What Windows tells every window: sleep, shutdown, the battery. */
  messages: WindowsMessages;
  encodePicture: EncodePicture;
  /** Pipes of container engines. */
  pipes: EnginePipes;
  /** One of them, asked in a thread of its own: for those that talk to other programs and may hang with them. */
  nativeElsewhere<K extends keyof Native>(library: K): Elsewhere<Native[K]>;
}
