import { expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseDpkgLog, parsePacmanLog, readDpkgLog } from './package-log.ts';

const log = `2026-11-18 20:20:57 startup archives unpack
2026-11-18 20:20:58 install netdata:all <none> 1.37.1-2
2026-11-18 20:20:58 status half-installed netdata:all 1.37.1-2
2026-11-18 20:21:00 upgrade bash:amd64 5.2.15-2+b7 5.2.15-2+b8
2026-11-18 20:21:01 configure bash:amd64 5.2.15-2+b8 <none>
2026-11-18 20:21:02 upgrade same:amd64 1.0 1.0
2026-11-18 20:22:00 remove nano:amd64 7.2-1 <none>
2026-11-18 20:22:01 purge nano:amd64 7.2-1 <none>
`;
const at = (time: string) => Date.parse(`2026-11-18T${time}`) / 1000;

test('what dpkg installed, upgraded and removed, by its log in local time', () => {
  expect(parseDpkgLog(log)).toEqual([
    { at: at('20:20:58'), manager: 'apt', name: 'netdata', from: '', to: '1.37.1-2' },
    { at: at('20:21:00'), manager: 'apt', name: 'bash:amd64', from: '5.2.15-2+b7', to: '5.2.15-2+b8' },
    { at: at('20:22:00'), manager: 'apt', name: 'nano:amd64', from: '7.2-1', to: '' },
  ]);
});

test('the log of pacman', () => {
  const text =
    '[2024-02-20T10:11:12+0100] [ALPM] upgraded linux (1 -> 2)\n[2024-02-20T10:11:12+0100] [ALPM] reinstalled a (3)\n[2024-02-20T10:11:12+0100] [ALPM] removed a (3)\n';
  expect(parsePacmanLog(text)).toEqual([
    { at: Date.UTC(2024, 1, 20, 9, 11, 12) / 1000, manager: 'pacman', name: 'linux', from: '1', to: '2' },
    { at: Date.UTC(2024, 1, 20, 9, 11, 12) / 1000, manager: 'pacman', name: 'a', from: '3', to: '' },
  ]);
});

test('the log before the last rotation counts; a missing one, or one that is no file, is empty', () => {
  const all = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-'));
  expect(readDpkgLog({ all })).toEqual([]);
  fs.mkdirSync(path.join(all, 'var', 'log', 'dpkg.log'), { recursive: true });
  fs.writeFileSync(path.join(all, 'var', 'log', 'dpkg.log.1'), log);
  expect(readDpkgLog({ all }).length).toBe(3);
  fs.rmSync(all, { recursive: true });
});
