import { describe, expect, test } from 'bun:test';
import Ajv from 'ajv/dist/2020.js';
import { actions, allScopes, modules } from '../../../features/index.ts';
import { openApiOf } from './openapi.ts';

const document = await openApiOf({ version: '6.0.0', scopes: allScopes, modules, actions });
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, { method, operation }] as const),
);

test('every action has a path', () => {
  for (const { name } of actions)
    expect({ name, post: document.paths[`/api/${name.replace('.', '/')}`]?.post !== undefined }).toEqual({
      name,
      post: true,
    });
});

test('every operation has a unique name that a generated client can use', () => {
  const ids = operations.map(([, { operation }]) => operation.operationId ?? '');
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[a-z][a-zA-Z0-9]+$/);
  expect(ids).toContain('mediaControl');
  expect(ids).toContain('getDataCpu');
});

describe.each(operations)('%s', (_name, { method, operation }) => {
  const bodies = [
    ...(operation.requestBody === undefined ? [] : [{ what: 'body', content: operation.requestBody.content }]),
    ...Object.entries(operation.responses).flatMap(([what, { content }]) => (content ? [{ what, content }] : [])),
  ].flatMap(({ what, content }) => (content['application/json'] ? [{ what, ...content['application/json'] }] : []));

  test('has examples that match their schemas', () => {
    // Keywords of OpenAPI mean nothing to the JSON Schema validator.
    const ajv = new Ajv({ strict: false, validateFormats: false, validateSchema: false });
    for (const { what, schema, example } of bodies) {
      const validate = ajv.compile({ ...schema, components: document.components });
      expect({ what, example, valid: validate(example), errors: validate.errors ?? null }).toEqual({
        what,
        example,
        valid: true,
        errors: null,
      });
    }
  });

  test('documents its errors and its purpose', () => {
    expect(Object.keys(operation.responses).some((status) => status.startsWith('2'))).toBe(true);
    expect(operation.responses[400]).toBeDefined();
    if (operation.security === undefined) expect(operation.responses[401]).toBeDefined();
    if (method === 'post' && operation.tags.includes('actions'))
      expect(Object.keys(operation.responses)).toEqual(
        expect.arrayContaining(['400', '401', '403', '404', '409', '413', '415', '501', '502']),
      );
  });
});
