import type { ConnectLocal } from '@hostler/io/local-socket.ts';
import { definePart } from '../../core/part.ts';
import { type CheckPipe, createPipeCheck, type PipeOwners, pipeOwnersOf } from '../../host/windows/pipe-channel.ts';
import { isTrustedAccount } from '../../host/windows/trusted-accounts.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import type { SocketPlace } from './socket-status.ts';

/** Named pipes of other programs that are believed, and told what to do. */
export interface EnginePipes {
  /** Only one of this user, or of the system, is used. */
  lookAt(pipe: string): Promise<SocketPlace>;
  /** Nothing is said before it is known again whose it is. */
  connect: ConnectLocal;
}

export const enginePipes = definePart<EnginePipes, WindowsHost>({
  name: 'containers.engine-pipes',
  create({ connectLocal, clock, native }) {
    const owners = pipeOwnersOf(native);
    return createEnginePipes(connectLocal, owners, createPipeCheck(owners, clock));
  },
  absent: {
    lookAt: async () => ({ kind: 'absent' }),
    connect: async () => {
      throw new Error('A recording has no pipes');
    },
  },
});

/** Where container engines answer: Docker Desktop, and Podman with its usual machine. */
export const enginePipeNames = ['\\\\.\\pipe\\docker_engine', '\\\\.\\pipe\\podman-machine-default'];

export function createEnginePipes(
  connect: ConnectLocal,
  owners: () => Promise<PipeOwners>,
  check: CheckPipe,
): EnginePipes {
  return {
    async lookAt(pipe) {
      const { ownSid, pipeOwner } = await owners();
      const owner = pipeOwner(pipe);
      if (owner === null) return { kind: 'absent' };
      if (isTrustedAccount(owner, ownSid())) return { kind: 'socket', path: pipe };
      return { kind: 'refused', problem: `it was made by another user (${owner})` };
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
