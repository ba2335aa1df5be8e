import { expect, test } from 'bun:test';
import { createCallLimits } from './calls.limits.ts';

test('twenty at once, then ten a second, for each token by itself', () => {
  let now = 0;
  const limits = createCallLimits(() => now);
  for (let call = 0; call < 20; call++) expect(limits.refuse('a')).toBeNull();
  expect(limits.refuse('a')).toBe(0.1);
  expect(limits.refuse('b')).toBeNull();
  now += 100;
  expect(limits.refuse('a')).toBeNull();
  expect(limits.refuse('a')).toBe(0.1);
  now += 60_000;
  for (let call = 0; call < 20; call++) expect(limits.refuse('a')).toBeNull();
  expect(limits.refuse('a')).not.toBeNull();
});

test('a pause of a tool is that of one token and one tool', () => {
  let now = 0;
  const limits = createCallLimits(() => now);
  expect(limits.refuseTool('a', 'power', 10_000)).toBeNull();
  now += 4000;
  expect(limits.refuseTool('a', 'power', 10_000)).toBe(6);
  expect(limits.refuseTool('a', 'other', 10_000)).toBeNull();
  expect(limits.refuseTool('b', 'power', 10_000)).toBeNull();
  now += 6000;
  expect(limits.refuseTool('a', 'power', 10_000)).toBeNull();
});

test('thousands of tokens are not remembered for ever', () => {
  const limits = createCallLimits(() => 0);
  for (let call = 0; call < 20; call++) limits.refuse('first');
  expect(limits.refuse('first')).not.toBeNull();
  for (let token = 0; token < 2000; token++) limits.refuse(`token ${token}`);
  expect(limits.refuse('first')).toBeNull();
});
