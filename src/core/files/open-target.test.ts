import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fakeHost, memoryStorage } from '../../../test/doubles/fake-host.ts';
import { realContained } from '../../../test/harness/contained.ts';
import { lacks } from '../../../test/harness/lacks.ts';
import { addressToOpen, pathToOpen } from './open-target.ts';

describe('a web address', () => {
  test.each([
    ['http://example.test', 'http://example.test/'],
    ['https://example.test/a?b=1&c=2#d', 'https://example.test/a?b=1&c=2#d'],
    ['HTTPS://EXAMPLE.test/$(id)`id`', 'https://example.test/$(id)%60id%60'],
    ['https://example.test/a b"c', 'https://example.test/a%20b%22c'],
    ['mailto:ann@example.test', 'mailto:ann@example.test'],
    ['mailto:attachments@example.test,b@example.test', 'mailto:attachments@example.test,b@example.test'],
    ["mailto:ann@example.test?subject=Don't&body=x", "mailto:ann@example.test?subject=Don't&body=x"],
    [
      'mailto:ann@example.test?To=a&cc=b&bcc=c&In-Reply-To=%3Cd%3E&body=see%20https%3A%2F%2Fexample.test%2F%3Fa%3D1%26b%3D2',
      'mailto:ann@example.test?To=a&cc=b&bcc=c&In-Reply-To=%3Cd%3E&body=see%20https%3A%2F%2Fexample.test%2F%3Fa%3D1%26b%3D2',
    ],
    ['mailto:message@example.test?body=the%20message', 'mailto:message@example.test?body=the%20message'],
    ['mailto:ann@example.test?subject=Hi%20there&body=x', 'mailto:ann@example.test?subject=Hi%20there&body=x'],
  ])('%s is opened', (text, url) => {
    expect(addressToOpen(text)).toEqual({ kind: 'url', url });
  });

  test.each([
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://example.test/',
    'smb://example.test/share',
    'ssh://example.test',
    'vbscript:x',
    'steam://run/1',
    'about:blank',
    'blob:https://example.test/1',
    'view-source:https://example.test',
    'example.test',
    '/etc/passwd',
    '--help',
    'http://',
    '',
    'mailto:a@example.test?attach=/etc/passwd',
    'mailto:a@example.test?ATTACHMENT=/etc/passwd',
    'mailto:a@example.test?subject=x&attach=/etc/passwd',
    'mailto:a@example.test?subject=x;attach=/etc/passwd',
    'mailto:a@example.test?%61ttach=/etc/passwd',
    'mailto:a@example.test?subject=x%26attach=/etc/passwd',
    'mailto:a@example.test?%2561ttach=/etc/passwd',
    'mailto:a@example.test?subject=%',
    'mailto:a@example.test&attach=/etc/passwd',
    'mailto:a@example.test%26attach=/etc/passwd',
    'mailto:a@example.test%2526%2561ttach%253D/etc/passwd',
    'mailto:a@example.test,attachment=/etc/passwd',
    "mailto:a',attachment='file:///etc/passwd",
    'mailto:a%22 -attach /etc/passwd',
    'mailto:a@example.test&cc=b@example.test',
    'mailto:a@example.test?insert=/etc/passwd',
    'mailto:a@example.test?subject=x,message=/etc/passwd',
    'mailto:a@example.test?cc=x%27,message=%27/etc/passwd%27,body=%27y',
    'mailto:a@example.test?body=x%252C%20Message%2520=/etc/passwd',
    'mailto:a@example.test,message=/etc/passwd',
    'mailto:a@example.test?%69nsert=/etc/passwd',
    'mailto:a@example.test?subject=x%26insert=/etc/passwd',
    'mailto:a@example.test?subject=x&INSERT=/etc/passwd',
    'mailto:a@example.test?subject=x;from=b@example.test',
    'mailto:a@example.test?body=x?x-anything=1',
  ])('%p is refused', (text) => {
    expect(() => addressToOpen(text)).toThrow(/not a URL|are not opened|is not opened/);
  });
});

describe('a path to open', () => {
  let home: string;
  beforeAll(() => {
    home = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-opening-'));
    fs.mkdirSync(path.join(home, 'Music'));
    const jar = `${'PK\x03\x04'.padEnd(26, 'x')}\x09\0\x04\0META-INF/\xfe\xca`;
    const files = {
      'song.mp3': 'ID3\x04',
      'page.html': '<p>',
      'notes.txt': 'a\nb',
      'report.docx': `${'PK\x03\x04'.padEnd(26, 'x')}\x13\0\0\0[Content_Types].xmlx`,
      'run.desktop': 'x',
      'Setup.EXE': 'x',
      plain: 'x',
      'list.zip': 'PK\x03\x04',
      invoice: 'MZ\x90',
      'tool.v2': '\x7fELF',
      'empty.png': '',
      'jar.png': jar,
      'jar.docx': jar,
      'class.docx': `${'PK\x03\x04'.padEnd(26, 'x')}\x13\0\x04\0[Content_Types].xml\xfe\xca`,
      'script.txt': '#!/bin/sh',
      'marked.txt': '\xef\xbb\xbf#!/bin/sh',
      'menu.txt': '\n[Desktop Entry]\n',
      'link.txt': '[InternetShortcut]\n',
      'start.xml': '<?xml version="1.0"?>\n<JNLP>',
      'menu.pdf': '%PDF-[Desktop Entry]',
      'wide.txt': 'a\0b\0',
    };
    for (const [name, content] of Object.entries(files))
      fs.writeFileSync(path.join(home, 'Music', name), Buffer.from(content, 'latin1'));
    fs.mkdirSync(path.join(home, 'Music', 'Panel.{ED7BA470-8E54-465E-825C-99712043E01C}'));
    fs.writeFileSync(path.join(home, 'Music', 'script'), '#!/bin/sh', { mode: 0o755 });
    fs.symlinkSync('run.desktop', path.join(home, 'Music', 'looks-fine.txt'));
    fs.symlinkSync('song.mp3', path.join(home, 'Music', 'song.desktop'));
    fs.symlinkSync('/etc/hostname', path.join(home, 'Music', 'out.txt'));
  });
  afterAll(() => fs.rmSync(home, { recursive: true, force: true }));

  const judge = (file: string) =>
    pathToOpen(
      fakeHost({ contained: realContained(), storage: memoryStorage(), environment: { home } }),
      { media: { directories: [] }, files: { hidden: true } },
      file.startsWith('/') || file.startsWith('~') ? file : path.join(home, file),
    );

  const shown = ['song.mp3', 'page.html', 'notes.txt', 'report.docx'].map((name) => `Music/${name}`);
  test.each(['Music', ...shown, '~/Music/song.mp3'])('%s is opened by its real path', async (file) => {
    const real = path.join(fs.realpathSync(home), file.replace('~/', ''));
    expect(await judge(file)).toEqual({ kind: 'path', path: real });
  });

  const started =
    'run.desktop Setup.EXE plain list.zip invoice tool.v2 empty.png jar.png jar.docx class.docx script.txt';
  test.each([...started.split(' '), ...'marked.txt menu.txt link.txt start.xml menu.pdf wide.txt'.split(' ')])(
    '%s is refused: opening it could start a program',
    async (name) => {
      await expect(judge(`Music/${name}`)).rejects.toThrow('Only pictures');
    },
  );

  test.each([
    ['Music/Panel.{ED7BA470-8E54-465E-825C-99712043E01C}', 'specify a file or a directory'],
    ['Music/none.mp3', 'There is no such file'],
    ['/etc/hostname', 'not in any of the known'],
    ['~/../etc', 'not in any of the known'],
    ['relative', 'There is no such file'],
  ])('%s is refused', async (file, why) => {
    await expect(judge(file)).rejects.toThrow(new RegExp(why));
  });

  test.skipIf(lacks('modes', 'links')).each([
    ['Music/script', 'Only pictures'],
    ['Music/looks-fine.txt', 'Only pictures'],
    ['Music/out.txt', 'leaves|not in any of the known'],
  ])('%s is refused because of its target', async (file, why) => {
    await expect(judge(file)).rejects.toThrow(new RegExp(why));
  });
});
