import type { ConnectLocal } from '@hostler/io/local-socket.ts';
import { definePart, partOf } from '../../core/part.ts';
import { type CheckPipe, createPipeCheck, type PipeOwners, pipeOwnersOf } from '../../host/windows/pipe-channel.ts';
import { isTrustedAccount } from '../../host/windows/trusted-accounts.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import type { EngineAccess, SocketPlace } from './containers.contract.ts';

/** Named pipes of engines, whose answers are trusted. */
interface EnginePipes {
  /** Accepts only a pipe of this user or of the system. */
  lookUp(pipe: string): Promise<SocketPlace>;
  /** Verifies the owner again before anything is sent. */
  connect: ConnectLocal;
}

export const enginePipes = definePart<EnginePipes, WindowsHost>({
  name: 'containers.engine-pipes',
  create({ connectLocal, clock, native }) {
    const owners = pipeOwnersOf(native);
    return createEnginePipes(connectLocal, owners, createPipeCheck(owners, clock));
  },
  absent: {
    lookUp: async () => ({ kind: 'absent' }),
    connect: async () => {
      throw new Error('A recording has no pipes');
    },
  },
});

/** Pipes of Docker Desktop, and of Podman with its default machine. */
const enginePipeNames = ['\\\\.\\pipe\\docker_engine', '\\\\.\\pipe\\podman-machine-default'];

/** Docker Desktop and Podman, through their named pipes. */
export const engineAccessWindows = (host: WindowsHost): EngineAccess => ({
  clock: host.clock,
  connectLocal: async (...given) => (await partOf(host, enginePipes)).connect(...given),
  places: () => enginePipeNames,
  lookUp: async (pipe) => (await partOf(host, enginePipes)).lookUp(pipe),
  runtimeDirectory: () => null,
});

export function createEnginePipes(
  connect: ConnectLocal,
  owners: () => Promise<PipeOwners>,
  check: CheckPipe,
): EnginePipes {
  return {
    async lookUp(pipe) {
      const { ownSid, pipeOwner } = await owners();
      const owner = pipeOwner(pipe);
      if (owner === null) return { kind: 'absent' };
      if (isTrustedAccount(owner, ownSid())) return { kind: 'socket', path: pipe };
      return { kind: 'refused', problem: `it was created by another user (${owner})` };
    },
    async connect(pipe, events, peer) {
      const socket = await connect(pipe, events, peer);
      try {
        await check(pipe);
        return socket;
      } catch (error) {
        socket.close();
        throw error;
      }
    },
  };
}
