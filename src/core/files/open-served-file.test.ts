// Not on Windows: its directories, links and pipes are those of Unix; test/real reads files under Wine.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import mime from 'mime-types';
import { fakeHost, memoryStorage } from '../../../test/doubles/fake-host.ts';
import { realContained } from '../../../test/harness/contained.ts';
import { countOpenFiles } from '../../../test/harness/open-files.ts';
import { defaultSettings } from '../../features/index.ts';
import type { Bytes, Contained, ContainedEntry, OpenedFile, Outcome } from '../../host/contained/contained.ts';
import { ServiceError } from '../../lib/errors.ts';
import { createOpenServedFile } from './open-served-file.ts';
import { servedTypes } from './served-types.ts';

let home: string;
beforeAll(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-served-'));
  fs.mkdirSync(path.join(home, 'Music', 'album.mp3'), { recursive: true });
  const write = (name: string, content: string | Uint8Array) =>
    fs.writeFileSync(path.join(home, 'Music', name), content);
  write('song.MP3', 'song');
  write('empty.txt', '');
  write('script.sh', 'x');
  write('noextension', 'x');
  write('.mp3', 'x');
  write('utf16le.txt', Buffer.from('\ufeffhi', 'utf16le'));
  write('utf16be.txt', Buffer.from([0xfe, 0xff, 0, 0x68]));
  write('utf8.txt', 'hällo');
  fs.symlinkSync('script.sh', path.join(home, 'Music', 'innocent.txt'));
  fs.symlinkSync('song.MP3', path.join(home, 'Music', 'song.sh'));
  fs.symlinkSync('song.MP3', path.join(home, 'Music', 'other name.wav'));
  for (const [name, size] of [
    ['largest.mp4', 104_857_600],
    ['too large.mp4', 104_857_601],
  ] as const) {
    write(name, '');
    fs.truncateSync(path.join(home, 'Music', name), size);
  }
});
afterAll(() => fs.rmSync(home, { recursive: true }));

const open = async (base: string, asked: string) => {
  const host = fakeHost({ contained: realContained(), storage: memoryStorage(), environment: { home } });
  return await createOpenServedFile(host, () => defaultSettings)(base, asked);
};
const refusal = async (base: string, asked: string): Promise<ServiceError> => {
  try {
    (await open(base, asked)).close();
  } catch (thrown) {
    if (thrown instanceof ServiceError) return thrown;
    throw thrown;
  }
  throw new Error(`${base}/${asked} was opened`);
};

describe('a file that is served', () => {
  test('is open, and has all its properties', async () => {
    const file = await open('music', 'song.MP3');
    expect(file).toMatchObject({
      name: 'song.MP3',
      size: 4,
      contentType: 'audio/mpeg',
      etag: expect.stringMatching(/^"[\w-]+"$/),
    });
    expect(Buffer.from(await file.read(0, 4)).toString()).toBe('song');
    file.close();
    file.close();
  });

  test('has the requested name and the type of its target', async () => {
    const file = await open('home', 'Music/other name.wav');
    expect(file).toMatchObject({ name: 'other name.wav', contentType: 'audio/mpeg' });
    file.close();
  });

  test.each([
    ['utf8.txt', 'text/plain; charset=utf-8'],
    ['empty.txt', 'text/plain; charset=utf-8'],
    ['utf16le.txt', 'text/plain; charset=utf-16'],
    ['utf16be.txt', 'text/plain; charset=utf-16'],
  ])('%s is %s', async (name, type) => {
    const file = await open('music', name);
    file.close();
    expect(file.contentType).toBe(type);
  });

  test('may have 104,857,600 bytes', async () => {
    const file = await open('music', 'largest.mp4');
    file.close();
    expect(file.size).toBe(104_857_600);
  });
});

describe('a served file is refused:', () => {
  test.each([
    ['nowhere', 'song.MP3', 'invalid'],
    ['Music', 'song.MP3', 'invalid'],
    ['', 'song.MP3', 'invalid'],
    ['music', '../Music/song.MP3', 'forbidden'],
    ['music', '/etc/passwd', 'forbidden'],
    ['music', 'song.MP3\0', 'forbidden'],
    ['music', 'nothing.txt', 'not_found'],
    ['music', 'nothing.sh', 'not_found'],
    ['videos', 'nothing.txt', 'not_found'],
    ['music', '.', 'invalid'],
    ['music', 'album.mp3', 'invalid'],
    ['music', 'script.sh', 'forbidden'],
    ['music', 'noextension', 'forbidden'],
    ['music', '.mp3', 'forbidden'],
    ['music', 'innocent.txt', 'forbidden'],
    ['music', 'song.sh', 'forbidden'],
    ['music', 'too large.mp4', 'too_large'],
  ])('%j, %j: %s', async (base, asked, code) => {
    expect<string>((await refusal(base, asked)).code).toBe(code);
  });

  test('an unknown base is refused with a list of the known ones', async () => {
    expect((await refusal('nowhere', 'x')).message).toBe(
      'There is no base directory "nowhere"; available: home, documents, downloads, music, pictures, videos',
    );
  });

  test('no message contains the path of a directory on the machine', async () => {
    for (const asked of ['nothing.txt', '../x', 'album.mp3', 'script.sh', 'too large.mp4']) {
      expect((await refusal('music', asked)).message).not.toContain(home);
    }
  });
});

test('whatever the input, only a ServiceError is thrown, and no descriptor stays open', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.constantFrom('music', 'home', 'Music/song.MP3', 'song.MP3', '..'),
  );
  await fc.assert(
    fc.asyncProperty(text, fc.array(text, { maxLength: 4 }), async (base, parts) => {
      try {
        const file = await open(base, parts.join('/'));
        expect(Buffer.from(await file.read(0, 4)).toString()).toBe('song');
        file.close();
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(ServiceError);
      }
    }),
    { numRuns: 1000 },
  );
  expect(countOpenFiles(home)).toBe(0);
});

describe('a served file on a mount that may hang', () => {
  /** Everything in the home, as if it were on a network; `hung` counts from then on as not responding. */
  const remote = () => {
    const local = realContained();
    const state = { hung: false, silentReads: false, closed: 0 };
    const later = async <T>(work: () => Outcome<T> | Promise<Outcome<T>>): Promise<Outcome<T>> =>
      state.hung ? 'silent' : work();
    const contained: Contained = {
      isOurs: () => false,
      mayHang: () => true,
      find: (base, asked) =>
        later<ContainedEntry>(async () => {
          const entry = await local.find(base, asked);
          if (typeof entry === 'string') return entry;
          const open = () =>
            later<OpenedFile>(async () => {
              const file = await entry.open();
              if (typeof file === 'string') return file;
              const close = () => {
                state.closed += 1;
                file.close();
              };
              const read = (start: number, end: number) =>
                later<Bytes>(() => (state.silentReads ? 'silent' : file.read(start, end)));
              return { path: null, read, close };
            });
          return { ...entry, open };
        }),
    };
    const host = fakeHost({ contained, environment: { home } });
    return { state, open: createOpenServedFile(host, () => defaultSettings) };
  };

  test('a file opens asynchronously, with all its properties', async () => {
    const { open: openLater } = remote();
    const file = await openLater('music', 'utf16le.txt');
    expect(file).toMatchObject({ name: 'utf16le.txt', size: 6, contentType: 'text/plain; charset=utf-16' });
    expect(await file.read(2, 4)).toEqual(new Uint8Array(Buffer.from('h', 'utf16le')));
    file.close();
  });

  test.each([
    ['music', 'nothing.txt', 'not_found'],
    ['music', '../x.txt', 'forbidden'],
    ['music', 'script.sh', 'forbidden'],
    ['music', 'too large.mp4', 'too_large'],
    ['nowhere', 'x.txt', 'invalid'],
  ])('%s, %s rejects: %s', async (base, asked, code) => {
    await expect(Promise.resolve(remote().open(base, asked))).rejects.toMatchObject({ code });
  });

  test('no response is an error that names the base', async () => {
    const { state, open: openLater } = remote();
    state.hung = true;
    await expect(Promise.resolve(openLater('music', 'song.MP3'))).rejects.toEqual(
      new ServiceError('failed', 'The file system of music does not respond; check whether its server can be reached'),
    );
  });

  test('no response during a read is an error too', async () => {
    const { state, open: openLater } = remote();
    const file = await openLater('music', 'song.MP3');
    state.hung = true;
    await expect(Promise.resolve(file.read(0, 4))).rejects.toMatchObject({ code: 'failed' });
    file.close();
  });

  test('a file whose beginning cannot be read is closed', async () => {
    const { state, open: openLater } = remote();
    state.silentReads = true;
    await expect(Promise.resolve(openLater('music', 'utf8.txt'))).rejects.toMatchObject({ code: 'failed' });
    expect(state.closed).toBe(1);
  });

  test('user-dirs.dirs is read there as well', async () => {
    fs.mkdirSync(path.join(home, '.config'));
    fs.writeFileSync(path.join(home, '.config', 'user-dirs.dirs'), 'XDG_VIDEOS_DIR="$HOME/Music"');
    const file = await remote().open('videos', 'song.MP3');
    file.close();
    expect(file.size).toBe(4);
    fs.rmSync(path.join(home, '.config'), { recursive: true });
  });
});

describe('the media types', () => {
  test.each([...servedTypes].filter(([extension]) => extension !== 'flac'))(
    'of .%s is that of the library',
    (extension, type) => {
      expect(mime.lookup(extension)).toBe(type);
    },
  );

  test('are those of the specification', () => {
    const images = 'jpg jpeg png gif bmp webp';
    const audio = 'mp3 wav flac aac ogg m4a';
    const video = 'mp4 avi mkv mov wmv webm';
    const documents = 'txt pdf doc docx xls xlsx';
    expect([...servedTypes.keys()].join(' ')).toBe([images, audio, video, documents].join(' '));
  });
});
