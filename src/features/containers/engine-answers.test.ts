import { expect, test } from 'bun:test';
import { parseEngineFacts } from './engine-answers.ts';

const seccomp = 'name=seccomp,profile=default';

test.each([
  ['Docker as root', { SecurityOptions: [seccomp] }, false],
  ['Docker without root', { SecurityOptions: [seccomp, 'name=rootless'] }, true],
  // As Podman 4.3.1 answers.
  ['Podman as root', { SecurityOptions: [seccomp], Rootless: false }, false],
  ['Podman without root', { SecurityOptions: [seccomp], Rootless: true }, true],
  ['one that says nothing', {}, null],
  ['one that talks nonsense', { SecurityOptions: 'none', Rootless: 'perhaps' }, null],
])('%s: whether an engine runs without root', (_name, info, rootless) => {
  expect(parseEngineFacts({}, info).rootless).toBe(rootless);
});
