import { beforeAll, expect, test } from 'bun:test';
import schema from '@asyncapi/specs/schemas/3.0.0-without-$id.json' with { type: 'json' };
import { errorCodes } from '@hostler/client/error-codes.ts';
import { Ajv } from 'ajv';
import { actions, modules } from '../../features/index.ts';
import { isObject } from '../../lib/values.ts';
import { type AsyncApi, asyncApiOf } from './asyncapi.ts';
import { refusalText, replyText, updateText } from './envelope.ts';

let document: AsyncApi;
beforeAll(async () => {
  document = await asyncApiOf({ version: '6.0.0', modules, actions });
});

test('the document is valid against the official AsyncAPI 3 schema', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  const check = ajv.compile(schema);
  const valid = check(JSON.parse(JSON.stringify(document)));
  expect(check.errors ?? []).toEqual([]);
  expect(valid).toBe(true);
  expect(check({ ...document, operations: { nonsense: { action: 'shout' } } })).toBe(false);
});

test('every reference resolves', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path);
  expect(references.length).toBeGreaterThan(100);
  const found = (path: string) =>
    path.split('/').reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), document);
  expect(references.filter((path) => found(path) === undefined)).toEqual([]);
});

test('every action is documented under all its names, with its scopes and its progress messages', () => {
  for (const { wire, scopes } of actions) {
    for (const { event, reply } of [wire, ...(wire.aliases ?? [])]) {
      const operation = document.operations[event];
      expect(operation).toMatchObject({ action: 'receive', 'x-scopes': scopes });
      const types = operation?.reply?.messages.map(({ $ref }) => String($ref).split('/').at(-1));
      expect(types).toEqual([reply, ...(wire.notifications ?? []), 'ERROR']);
    }
  }
});

test('every module and every code is documented', () => {
  const updates = document.operations.DATA_UPDATE?.messages.map(({ $ref }) => String($ref).split('.').at(-1));
  const names = modules.flatMap(({ name, alias }) => [name, ...(alias === undefined ? [] : [alias.name])]);
  expect(updates).toEqual([...names, 'entities']);
  expect(document.components.messages.ERROR?.payload).toMatchObject({
    properties: { subtype: { enum: [...errorCodes] } },
  });
});

test('messages of the service match the document', async () => {
  const { ServiceError } = await import('../../lib/errors.ts');
  const battery = modules.find(({ name }) => name === 'battery');
  const written: Record<string, string> = {
    DATA_GET: replyText('1', 'DATA_GET', { modules: ['cpu'] }, 'There is no module "x"'),
    DATA_LISTENER_UNREGISTERED: replyText('', 'DATA_LISTENER_UNREGISTERED', null),
    'DATA_UPDATE.battery': updateText('battery', JSON.stringify(battery?.empty)),
    ERROR: refusalText('1', new ServiceError('rate_limited', 'Too many', { retryAfterSeconds: 3 })),
  };
  for (const [name, text] of Object.entries(written)) {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'document', ...document });
    const check = ajv.compile({ $ref: `document#/components/messages/${name}/payload` });
    expect({ name, wrong: check(JSON.parse(text)) ? [] : check.errors }).toEqual({ name, wrong: [] });
    expect(check({ ...JSON.parse(text), surprise: 1 })).toBe(false);
  }
});
