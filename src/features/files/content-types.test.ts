import { expect, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import mime from 'mime-types';
import { contentTypesSource } from '../../../scripts/content-types.ts';
import { servedTypes } from '../../core/files/served-types.ts';
import { createContentTypes } from './content-types.ts';

test('the table is the one of the library, as "npm run generate" writes it', () => {
  expect(fs.readFileSync(path.join(import.meta.dirname, 'content-types.generated.ts'), 'utf8')).toBe(
    contentTypesSource(),
  );
});

test('every extension has the type of the library, and served types have precedence', () => {
  const contentTypeOf = createContentTypes();
  const wrong = Object.entries(mime.types).filter(
    ([extension, type]) => contentTypeOf(extension) !== (servedTypes.get(extension) ?? type),
  );
  expect(wrong).toEqual([]);
  expect(Object.keys(mime.types).length).toBeGreaterThan(1000);
  expect(contentTypeOf('weird')).toBeNull();
  expect(contentTypeOf('')).toBeNull();
});
