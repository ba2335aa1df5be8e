import { PeerRefusal } from '@hostler/io/local-socket.ts';
import { cleanEnvironment } from '../../processes/run.ts';
import type { LinuxHost } from '../linux-host.ts';
import { serverPaths } from './pulse.server.ts';

export type SoundEnvironmentHost = Pick<LinuxHost, 'connectLocal' | 'environment' | 'paths'>;

/** The environment of a program that plays sound. Throws a PeerRefusal when another user listens at the place of the sound server. */
export async function soundEnvironment(host: SoundEnvironmentHost): Promise<Record<string, string>> {
  await refuseForeignServer(host);
  return { ...cleanEnvironment(), ...sessionOf(host) };
}

/** Such a program sends the user's cookie to the server. */
async function refuseForeignServer({ connectLocal, environment, paths }: SoundEnvironmentHost): Promise<void> {
  for (const server of serverPaths(environment.variable('PULSE_SERVER'), paths.runtime)) {
    try {
      (await connectLocal(server, { data: () => {}, closed: () => {} }, 'sound')).close();
      return;
    } catch (error) {
      if (error instanceof PeerRefusal) throw error;
    }
  }
}

function sessionOf({ environment, paths }: SoundEnvironmentHost): Record<string, string> {
  const server = environment.variable('PULSE_SERVER');
  return {
    ...(paths.runtime === null ? {} : { XDG_RUNTIME_DIR: paths.runtime }),
    ...(server === null ? {} : { PULSE_SERVER: server }),
  };
}
