import { errorCodes, type WireCode } from '@hostler/client/error-codes.ts';
import type { ErrorCode, ServiceError } from '../../lib/errors.ts';

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

/** The specific code if there is one, else the code of its kind. */
export function wireCodeOf({ code, subtype }: ServiceError): WireCode {
  return errorCodes.find((known) => known === subtype) ?? byErrorCode[code];
}
