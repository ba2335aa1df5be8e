import type { ErrorCode, ServiceError } from '../../lib/errors.ts';

/** Every subtype that an ERROR can have; clients know them by name. */
export const errorCodes = [
  'BAD_REQUEST',
  'BAD_TOKEN',
  'BAD_JSON',
  'BAD_DIRECTORY',
  'BAD_FILE',
  'BAD_PATH',
  'INVALID_ACTION',
  'LISTENER_ALREADY_REGISTERED',
  'LISTENER_NOT_REGISTERED',
  'MISSING_ACTION',
  'MISSING_BASE',
  'MISSING_KEY',
  'MISSING_MODULES',
  'MISSING_PATH',
  'MISSING_PATH_URL',
  'MISSING_SETTING',
  'MISSING_TEXT',
  'MISSING_TITLE',
  'MISSING_TOKEN',
  'MISSING_VALUE',
  'COMMAND_NOT_FOUND',
  'UNKNOWN_EVENT',
  'UNSUPPORTED',
  'FORBIDDEN',
  'FAILED',
  'RATE_LIMITED',
] as const;

export type WireCode = (typeof errorCodes)[number];

const byErrorCode: Record<ErrorCode, WireCode> = {
  invalid: 'BAD_REQUEST',
  unauthorized: 'BAD_TOKEN',
  forbidden: 'FORBIDDEN',
  not_found: 'BAD_REQUEST',
  conflict: 'FAILED',
  too_large: 'BAD_REQUEST',
  rate_limited: 'RATE_LIMITED',
  unsupported: 'UNSUPPORTED',
  failed: 'FAILED',
};

/** The finer name where there is one, else the one for its kind. */
export function wireCodeOf({ code, subtype }: ServiceError): WireCode {
  return errorCodes.find((known) => known === subtype) ?? byErrorCode[code];
}
