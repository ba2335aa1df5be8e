import type { WireCode } from './error-codes.ts';

/**
 * Errors of the service and of the connection. `ABSENT`: there is no such module, or it is unavailable. `TIMEOUT` and `CONNECTION_LOST`:
 * the result is unknown. `UNREACHABLE`: there was no connection yet, so the request was not sent.
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
  /** Details of a refusal. */
  readonly data: unknown;

  constructor(code: ClientErrorCode | (string & {}), message: string, data: unknown = null) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
