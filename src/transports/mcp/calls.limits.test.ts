import { expect, test } from 'bun:test';
import { createCallLimits } from './calls.limits.ts';

test('each token may make twenty calls at once, then ten a second', () => {
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

test("a tool's pause applies per token and tool", () => {
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

test('thousands of tokens are not remembered', () => {
  const limits = createCallLimits(() => 0);
  for (let call = 0; call < 20; call++) limits.refuse('first');
  expect(limits.refuse('first')).not.toBeNull();
  for (let token = 0; token < 2000; token++) limits.refuse(`token ${token}`);
  expect(limits.refuse('first')).toBeNull();
});
