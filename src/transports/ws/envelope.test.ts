import { describe, expect, test } from 'bun:test';
import { errorCodes } from '@hostler/client/error-codes.ts';
import fc from 'fast-check';
import { ServiceError } from '../../lib/errors.ts';
import { parseRequest, refusalText, replyText, updateText } from './envelope.ts';

function outcome(frame: string) {
  const seen = { id: '' };
  try {
    return { request: parseRequest(frame, seen), seen };
  } catch (thrown) {
    return { thrown, seen };
  }
}

describe('a request', () => {
  test('accepts its keys in any order, and data may be missing or null', () => {
    const request = { id: 'a', token: 't', event: 'E' };
    expect(outcome('{"event":"E","id":"a","token":"t"}').request).toEqual({ ...request, data: {} });
    expect(outcome('{"data":null,"event":"E","token":"t","id":"a"}').request).toEqual({ ...request, data: {} });
    expect(outcome('{"data":{"x":1},"event":"E","token":"t","id":"a","more":1}').request).toEqual({
      ...request,
      data: { x: 1 },
    });
  });

  test('that is not valid is refused with a reason', () => {
    const anything = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((text) => text.slice(1)),
    );
    fc.assert(
      fc.property(anything, (frame) => {
        const { request, thrown } = outcome(frame);
        if (request === undefined) expect(thrown).toBeInstanceOf(ServiceError);
        else expect(Object.keys(request)).toEqual(['id', 'token', 'event', 'data']);
      }),
      { numRuns: 2000 },
    );
  });

  test('with random values is parsed or refused, and a readable id is preserved', () => {
    const part = fc.option(fc.oneof(fc.string(), fc.integer(), fc.jsonValue()), { nil: undefined });
    fc.assert(
      fc.property(fc.record({ id: part, token: part, event: part, data: part }), (envelope) => {
        const { request, thrown, seen } = outcome(JSON.stringify(envelope));
        if (request === undefined) expect(thrown).toBeInstanceOf(ServiceError);
        const { id } = envelope;
        if (typeof id === 'string') expect(seen.id).toBe(id);
        else expect(seen.id).toBe('');
      }),
      { numRuns: 2000 },
    );
  });
});

describe('messages to clients', () => {
  const allowed = new Set(['id', 'type', 'subtype', 'data', 'message', 'module']);

  test('have only known keys, and always data', () => {
    const codes = fc.constantFrom('invalid', 'unauthorized', 'failed', 'rate_limited', 'not_found' as const);
    fc.assert(
      fc.property(
        fc.string(),
        fc.option(fc.jsonValue(), { nil: undefined }),
        fc.string(),
        codes,
        (id, data, text, code) => {
          const error = new ServiceError(code, text, { retryAfterSeconds: 3, subtype: text });
          for (const frame of [replyText(id, 'TYPE', data, text), refusalText(id, error), updateText(id, 'null')]) {
            const message = JSON.parse(frame);
            expect(Object.keys(message).filter((key) => !allowed.has(key))).toEqual([]);
            expect('data' in message).toBe(true);
            if (message.type === 'ERROR') expect(errorCodes).toContain(message.subtype);
            else expect(message.subtype).toBe('NONE');
          }
        },
      ),
    );
  });

  test('omit an empty message text', () => {
    expect(JSON.parse(replyText('a', 'T', undefined))).toEqual({ id: 'a', type: 'T', subtype: 'NONE', data: null });
  });

  test('carry the specific error code where clients know it', () => {
    const subtypeOf = (error: ServiceError) => JSON.parse(refusalText('', error)).subtype;
    expect(subtypeOf(new ServiceError('not_found', '', { subtype: 'COMMAND_NOT_FOUND' }))).toBe('COMMAND_NOT_FOUND');
    expect(subtypeOf(new ServiceError('invalid', '', { subtype: 'MISSING_TITLE' }))).toBe('MISSING_TITLE');
    expect(subtypeOf(new ServiceError('invalid', '', { subtype: 'MISSING_WHATEVER' }))).toBe('BAD_REQUEST');
    expect(subtypeOf(new ServiceError('conflict', ''))).toBe('FAILED');
  });
});
