import type { WireCode } from './error-codes.ts';

/**
 * What the service answers, and what it cannot say itself. `ABSENT`: there is no such module, or not now. `TIMEOUT` and `CONNECTION_LOST`:
 * nobody knows whether it was done. `UNREACHABLE`: there has been no connection yet, so it was not.
 */
export type ClientErrorCode =
  | WireCode
  | 'ABSENT'
  | 'TIMEOUT'
  | 'CONNECTION_LOST'
  | 'UNREACHABLE'
  | 'CLOSED'
  | 'NO_WEBSOCKET'
  | PinErrorCode;

/** `CERTIFICATE_CHANGED`: another machine may be answering. `NO_PINNING`: this runtime cannot pin. */
export type PinErrorCode = 'CERTIFICATE_CHANGED' | 'NO_PINNING';

export class ClientError extends Error {
  override name = 'ClientError';
  readonly code: ClientErrorCode | (string & {});
  /** What came with a refusal. */
  readonly data: unknown;

  constructor(code: ClientErrorCode | (string & {}), message: string, data: unknown = null) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
