import { codeOf } from '../../lib/errors.ts';

/** Listens; the system's code for why it cannot becomes one sentence that says what to do. */
export function explainListening<T>(address: string, port: number, listen: () => T, setting = 'SERVICE_PORT'): T {
  try {
    return listen();
  } catch (cause) {
    const sentences: Record<string, string> = {
      EADDRINUSE: `Port ${port} is in use by another program (perhaps another Hostler). Stop it, or choose another port: ${setting}=${port === 65_535 ? 9170 : port + 1}`,
      EACCES: `This user may not use port ${port}: ports below 1024 need privileges. Choose another one with ${setting}`,
    };
    const sentence =
      sentences[codeOf(cause) ?? ''] ??
      `${JSON.stringify(address)} is not an address of this machine. Correct --host, SERVICE_HOST or server.host, or leave it out to listen on all addresses`;
    throw new Error(sentence, { cause });
  }
}
