/** What can go wrong, in the caller's terms; each transport has one table from these to its own codes. */
export type ErrorCode =
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'too_large'
  | 'rate_limited'
  | 'unsupported'
  | 'failed';

export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  /** For rate_limited: when it makes sense to try again. */
  readonly retryAfterSeconds: number | null;
  /** A finer name where existing clients know one, such as COMMAND_NOT_FOUND. */
  readonly subtype: string | null;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
    this.subtype = options.subtype ?? null;
  }
}

/** The desktop prompted its user, who denied or did not answer. */
export class UserRefused extends Error {
  override readonly name = 'UserRefused';
}

/** A problem with a file or program that settings name. Its message is for every reader; the path appears in the log only. */
export class PlaceError extends ServiceError {
  /** The same with the path. */
  readonly full: string;

  constructor(message: string, full: string, options: ErrorOptions = {}) {
    super('failed', message, options);
    this.full = full;
  }
}

interface ErrorOptions {
  cause?: unknown;
  retryAfterSeconds?: number;
  subtype?: string | null;
}

/** Converts a thrown value to an error for the caller. Messages of unexpected errors stay in the log: they may hold paths or secrets. */
export function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  return new ServiceError('failed', 'An internal error occurred; the service log has the details', {
    cause: thrown,
  });
}

/** The one sentence of an error, for logs and reasons. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The same for the log and the local user: with the file paths that payloads leave out. */
export function fullMessageOf(thrown: unknown): string {
  return thrown instanceof PlaceError ? thrown.full : messageOf(thrown);
}

/** The system's code of a failed call, such as ENOENT. */
export function codeOf(thrown: unknown): string | null {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : null;
}

/** The system lacks something now, which says nothing about the file. */
export const isTemporary = (thrown: unknown): boolean => temporary.has(codeOf(thrown) ?? '');
const temporary = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EIO']);
