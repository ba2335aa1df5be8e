import type { ConnectLocal } from '@hostler/io/local-socket.ts';
import type { PulseHost } from '../../src/host/linux/sound/pulse.ts';
import { type FakeClock, fakeHost } from './fake-host.ts';

export { fakePulse } from '@hostler/pulseaudio/testing/fake-pulse.ts';

export function pulseHost(connectLocal: ConnectLocal, clock: FakeClock): PulseHost {
  const { environment } = fakeHost();
  const { files } = fakeHost({ root: '/nonexistent' });
  return { connectLocal, environment, clock, files, paths: { config: '/c', state: '/s', runtime: '/r' } };
}
