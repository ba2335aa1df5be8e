import { type PipeOwners, pipeOwnersOf } from '../../host/windows/pipe-channel.ts';
import { isTrustedAccount } from '../../host/windows/trusted-accounts.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import type { EngineAccess, SocketPlace } from './containers.contract.ts';

/** Pipes of Docker Desktop, and of Podman with its default machine. */
const enginePipeNames = ['\\\\.\\pipe\\docker_engine', '\\\\.\\pipe\\podman-machine-default'];

/** Docker Desktop and Podman, through their named pipes. Connecting verifies the owner again. */
export const engineAccessWindows = ({ clock, connectLocal, native }: WindowsHost): EngineAccess => ({
  clock,
  connectLocal,
  places: () => enginePipeNames,
  lookUp: (pipe) => lookUpPipe(pipe, pipeOwnersOf(native)),
  runtimeDirectory: () => null,
});

/** Accepts only a pipe of this user or of the system, since answers of the engine are trusted. */
export async function lookUpPipe(pipe: string, owners: () => Promise<PipeOwners>): Promise<SocketPlace> {
  const { ownSid, pipeOwner } = await owners();
  const owner = pipeOwner(pipe);
  if (owner === null) return { kind: 'absent' };
  if (isTrustedAccount(owner, ownSid())) return { kind: 'socket', path: pipe };
  return { kind: 'refused', problem: `it was created by another user (${owner})` };
}
