import { refuseExposed } from './access/own-places.ts';
import type { Host } from './host/host.ts';
import { codeOf, messageOf } from './lib/errors.ts';

/** Files that cannot be used end the start with a sentence, not with a code. */
export async function using<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new Error(`${what} cannot be read or written: ${messageOf(cause)}. Check its owner and permissions`, {
      cause,
    });
  }
}

/** Makes our directories. What others could change is refused: it decides who may do what. */
export function prepareDirectories({ storage, paths }: Host): void {
  // Whatever others can get at is named first: it may be why it cannot be used.
  refuseExposed({ storage, paths });
  try {
    storage.prepareDirectory(paths.config);
  } catch {
    // Settings may be where nobody can write; those who want to change them are told.
  }
  try {
    storage.prepareDirectory(paths.state);
  } catch (cause) {
    throw new Error(
      `The state directory ${paths.state} cannot be used (${messageOf(cause)}). Make it readable and writable for this user, or set SERVICE_STATE_DIR to another one`,
      { cause },
    );
  }
  // Somebody may have made them at the same moment.
  refuseExposed({ storage, paths });
}

/** The system's code as one sentence that says what to do. */
export function listening<T>(address: string, port: number, listen: () => T): T {
  try {
    return listen();
  } catch (cause) {
    const sentences: Record<string, string> = {
      EADDRINUSE: `Port ${port} is in use by another program (perhaps another Hostler). Stop it, or choose another port: SERVICE_PORT=${port === 65_535 ? 9170 : port + 1}`,
      EACCES: `This user may not use port ${port}: ports below 1024 need privileges. Choose another one with SERVICE_PORT`,
    };
    const sentence =
      sentences[codeOf(cause) ?? ''] ??
      `${JSON.stringify(address)} is not an address of this machine. Correct --host, SERVICE_HOST or server.host, or leave it out to listen on all addresses`;
    throw new Error(sentence, { cause });
  }
}
