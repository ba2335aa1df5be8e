import { expect, test } from 'bun:test';
import { parseEngineFacts } from './engine-responses.ts';

const seccomp = 'name=seccomp,profile=default';

test.each([
  ['Docker as root', { SecurityOptions: [seccomp] }, false],
  ['Docker without root', { SecurityOptions: [seccomp, 'name=rootless'] }, true],
  // As of Podman 4.3.1.
  ['Podman as root', { SecurityOptions: [seccomp], Rootless: false }, false],
  ['Podman without root', { SecurityOptions: [seccomp], Rootless: true }, true],
  ['an empty answer', {}, null],
  ['values of wrong types', { SecurityOptions: 'none', Rootless: 'perhaps' }, null],
])('rootless is parsed from %s', (_name, info, rootless) => {
  expect(parseEngineFacts({}, info).rootless).toBe(rootless);
});
