import { expect, test } from 'bun:test';
import fs from 'node:fs';
import { machineFiles } from '../../../test/harness/machine-files.ts';
import type { Files } from './files.ts';
import { createMachineIdentity } from './machine-identity.ts';

const own = { hostname: () => 'own' };

/** A machine whose directories are mounted here. */
const mounted = (contents: Record<string, string>, links: Record<string, string> = {}, parts = ['/proc', '/etc']) =>
  ({
    ...machineFiles(contents),
    moved: (file: string) => parts.some((part) => file.startsWith(part)),
    link: (file: string) => links[file] ?? null,
  }) satisfies Files;

test('without moved roots, the machine is that of this process', () => {
  const here = createMachineIdentity(mounted({ '/etc/hostname': 'other\n' }, {}, []), own);
  expect(here.hostname()).toEqual({ value: 'own' });
  expect(here).toMatchObject({ sharesNames: true, sharesNetwork: true });
});

test('each namespace that is shared with the machine answers for it', () => {
  const links = { '/proc/1/ns/uts': fs.readlinkSync('/proc/self/ns/uts'), '/proc/1/ns/net': 'net:[1]' };
  const shared = createMachineIdentity(mounted({ '/etc/hostname': 'written\n' }, links), own);
  expect(shared.hostname()).toEqual({ value: 'own' });
  expect(shared).toMatchObject({ sharesNames: true, sharesNetwork: false });
});

test.each<[string, Record<string, string>, string[], string | null]>([
  ['its own file', { '/etc/hostname': '# set by hand\n\n machine \n' }, ['/proc', '/etc'], 'machine'],
  ['the root of its first process', { '/proc/1/root/etc/hostname': 'machine\n' }, ['/proc'], 'machine'],
  ['not the file of the container', { '/etc/hostname': 'container\n' }, ['/proc'], null],
  ['nothing but valid names', { '/etc/hostname': '<b>machine</b>\n' }, ['/proc', '/etc'], null],
  ['nothing', {}, ['/proc', '/etc'], null],
])('the host name of a machine in another namespace: %s', (_from, contents, parts, name) => {
  const learned = createMachineIdentity(mounted(contents, { '/proc/1/ns/uts': 'uts:[1]' }, parts), own).hostname();
  expect(learned.value).toBe(name);
  if (learned.value === null) expect(learned.reason).toContain('--uts=host');
});
