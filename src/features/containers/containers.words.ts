import type { UnseenWords } from './containers.assemble.ts';

const hidden =
  'The control group of the container cannot be seen from here; if Hostler runs in a container itself, give it /proc and /sys of the machine, see docs/containers.md';
const ungrouped =
  'The container has no control group of its own: without root, engines can make one only where the machine has version 2 of control groups and the service manager of the user runs, see docs/containers.md';

export const linuxUnseenWords: UnseenWords = {
  use: (rootless) => (rootless ? ungrouped : hidden),
  network:
    'The network of the container cannot be seen: /proc does not show its first process to the user of this service',
  engines: 'No socket of Docker or Podman was found on this machine',
};
