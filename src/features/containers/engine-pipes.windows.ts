import type { ConnectLocal } from '@hostler/io/local-socket.ts';
import type { CheckPipe, PipeOwners } from '../../host/windows/pipe-channel.ts';
import { isTrustedAccount } from '../../host/windows/trusted-accounts.ts';
import type { SocketPlace } from './socket-status.ts';

/** Named pipes of other programs that are believed, and told what to do. */
export interface EnginePipes {
  /** Where container engines answer: Docker Desktop, and Podman with its usual machine. */
  engines: readonly string[];
  /** Only one of this user, or of the system, is used. */
  lookAt(pipe: string): Promise<SocketPlace>;
  /** Nothing is said before it is known again whose it is. */
  connect: ConnectLocal;
}

const engines = ['\\\\.\\pipe\\docker_engine', '\\\\.\\pipe\\podman-machine-default'];

export function createEnginePipes(
  connect: ConnectLocal,
  owners: () => Promise<PipeOwners>,
  check: CheckPipe,
): EnginePipes {
  return {
    engines,
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
