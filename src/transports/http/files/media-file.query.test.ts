import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readingsOf as readings } from './media-file.query.ts';

const readingsOf = (rawQuery: string) => [...readings(rawQuery)];
const paths = (rawQuery: string) => readingsOf(rawQuery).map(({ path }) => path);

describe('the path', () => {
  test.each([
    ['plain.mp3', ['plain.mp3']],
    ['a%20b.mp3', ['a b.mp3', 'a%20b.mp3']],
    ['a+b.mp3', ['a b.mp3', 'a+b.mp3']],
    ['a+b%20c.mp3', ['a b c.mp3', 'a+b c.mp3', 'a+b%20c.mp3']],
    ['100%.mp3', ['100%.mp3']],
    ['100%zz%2.mp3', ['100%zz%2.mp3']],
    ['%E4%BD%A0%E5%A5%BD.mp3', ['你好.mp3', '%E4%BD%A0%E5%A5%BD.mp3']],
    ['%252e%252e/x', ['%2e%2e/x', '%252e%252e/x']],
    ['%2e%2e%2fx', ['../x', '%2e%2e%2fx']],
    ['a%00b', ['a\0b', 'a%00b']],
    ['%ff.mp3', ['%ff.mp3']],
    ['per%cent%20100%.mp3', ['per%cent 100%.mp3', 'per%cent%20100%.mp3']],
    ['%c0%ae%c0%ae/x%ED%A0%80', ['%c0%ae%c0%ae/x%ED%A0%80']],
    ['%F0%9F%98%80.mp3', ['😀.mp3', '%F0%9F%98%80.mp3']],
    ['%EF%BB%BFa.mp3', ['\ufeffa.mp3', '%EF%BB%BFa.mp3']],
    ['a=b.mp3', ['a=b.mp3']],
    ['a?b#c.mp3', ['a?b#c.mp3']],
    ['Tom & Jerry.mp3', ['Tom ', 'Tom & Jerry.mp3']],
    ['Tom%20&%20Jerry.mp3', ['Tom ', 'Tom%20', 'Tom & Jerry.mp3', 'Tom%20&%20Jerry.mp3']],
    ['a&b=c&d.mp3', ['a', 'a&b=c&d.mp3']],
  ])('%s can mean %j', (raw, expected) => {
    expect(paths(`token=T&base=B&path=${raw}`)).toEqual(expected);
  });

  test('ends at an ampersand when another known parameter follows', () => {
    expect(paths('path=a&b.mp3&token=T&base=B')).toEqual(['a']);
    expect(paths('token=T&base=B&path=a&path=b')).toEqual(['a']);
  });
});

describe('parameters', () => {
  test('beyond the limit are not parsed, but a path keeps its ampersands', () => {
    const many = '&'.repeat(1000);
    expect(readingsOf(`${many}token=T&base=B&path=a.mp3`)).toEqual([{ token: null, base: null, path: null }]);
    expect(paths(`token=T&base=B&path=a${many}b.mp3`)).toEqual(['a', `a${many}b.mp3`]);
  });

  test('come in any order, and unknown ones are ignored', () => {
    expect(readingsOf('x=1&path=p&base=b&y&token=t')).toEqual([{ token: 't', base: 'b', path: 'p' }]);
  });

  test('the first of repeated ones counts', () => {
    expect(readingsOf('token=1&base=2&path=3&token=4&base=5')).toEqual([{ token: '1', base: '2', path: '3' }]);
  });

  test.each(['', '&&', 'token', 'token=&base=&path=', '=x', 'Token=x'])('%j has none of them', (rawQuery) => {
    expect(readingsOf(rawQuery)).toEqual([{ token: null, base: null, path: null }]);
  });
});

test('the first reading of any query is that of a form without repeated or empty parameters', () => {
  const value = fc.string({ unit: 'grapheme', minLength: 1 });
  fc.assert(
    fc.property(value, value, value, (token, base, path) => {
      expect(readingsOf(new URLSearchParams({ token, base, path }).toString())[0]).toEqual({ token, base, path });
    }),
  );
});

test('a path is decoded however a client encodes it', () => {
  const name = fc.string({ unit: fc.constantFrom(...'aZ0 +%&=?#/.é你"\\'), minLength: 1 });
  fc.assert(
    fc.property(name, (path) => {
      const encoded = [
        encodeURIComponent(path),
        encodeURI(path),
        new URLSearchParams({ path }).toString().slice(5),
        path,
      ];
      for (const sent of encoded.filter((text) => !/&(path|base|token)=/.test(text))) {
        // A client that encodes some characters but not the percent sign is understood only if nothing else looks encoded.
        if (sent === encodeURI(path) && /%[0-9a-f]{2}/i.test(path)) continue;
        expect(paths(`token=T&base=B&path=${sent}`)).toContain(path);
      }
    }),
  );
});
