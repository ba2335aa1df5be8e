import { expect, test } from 'bun:test';
import { startsWhenOpened } from './executable-files.ts';

test.each([
  'a.exe',
  'C:\\x\\A.VBS',
  'a.hta.',
  'a.js  ',
  'photo.jpg.scr',
  'a.lnk::$DATA',
  'x/y.reg',
  'a.settingcontent-ms',
  '.ps1',
])('opening %p starts a program', (file) => expect(startsWhenOpened(file)).toBe(true));

test.each(['a.txt', 'C:\\a.exe\\song.mp3', 'exe', 'a.exe.pdf', '', 'a.', '...', 'C:\\'])(
  'opening %p starts no program',
  (file) => expect(startsWhenOpened(file)).toBe(false),
);
