import { describe, expect, test } from 'bun:test';
import { atOnce } from '../../../lib/slices.ts';
import { createReachable, mountSteps, parseMountinfo, textOfBytes } from './mountinfo.ts';

describe('the table of mounts', () => {
  test('is read in steps where it is long', () => {
    const lines = Array.from({ length: 1000 }, (_, id) => `${id} 0 0:9 / /${id} rw - tmpfs tmpfs rw\n`).join('');
    const steps = mountSteps(lines);
    let count = 0;
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) {
        expect(value).toEqual(parseMountinfo(lines));
        expect(value).toHaveLength(1000);
        break;
      }
      count += 1;
    }
    expect(count).toBeGreaterThan(5);
  });

  test('every field, with any number of optional ones', () => {
    const lines = [
      '36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue',
      '37 35 98:1 / /a rw - xfs /dev/sdb1 rw',
      '38 35 98:2 / /b rw shared:1 master:2 propagate_from:3 - xfs /dev/sdc1 ro',
    ];
    expect(parseMountinfo(`${lines.join('\n')}\n`)).toEqual([
      {
        id: 36,
        parent: 35,
        device: '98:0',
        root: '/mnt1',
        point: '/mnt2',
        options: 'rw,noatime',
        type: 'ext3',
        source: '/dev/root',
        superOptions: 'rw,errors=continue',
      },
      expect.objectContaining({ point: '/a', type: 'xfs', source: '/dev/sdb1', superOptions: 'rw' }),
      expect.objectContaining({ point: '/b', type: 'xfs', source: '/dev/sdc1', superOptions: 'ro' }),
    ]);
  });

  test.each([
    ['/a\\040b', '/a b'],
    ['/tab\\011and\\012newline', '/tab\tand\nnewline'],
    ['/back\\134040slash', '/back\\040slash'],
    ['/hash\\043', '/hash#'],
    ['/no\\escape', '/no\\escape'],
    ['/-', '/-'],
  ])('the name %s is %j', (written, name) => {
    const [mount] = parseMountinfo(`1 0 8:1 / ${written} rw - ext4 /dev/sda1 rw`);
    expect(mount?.point).toBe(name);
  });

  test('a source may be empty, and a dash a part of a name', () => {
    expect(parseMountinfo('1 0 0:9 /- /-/- rw shared:1 - tmpfs  rw\n2 0 0:9 / /x rw - tmpfs - rw')).toEqual([
      expect.objectContaining({ root: '/-', point: '/-/-', type: 'tmpfs', source: '', superOptions: 'rw' }),
      expect.objectContaining({ point: '/x', source: '-', superOptions: 'rw' }),
    ]);
  });

  test('an incomplete line is ignored', () => {
    expect(parseMountinfo('1 0 8:1 / / rw\n\n2 0 8:1 / /x rw shared:1')).toEqual([]);
  });

  test('names are bytes; as text they are UTF-8 where they can be', () => {
    expect(textOfBytes(Buffer.from('/Müsik').toString('latin1'))).toBe('/Müsik');
    expect(textOfBytes('/\xff')).toBe('/\ufffd');
    expect(textOfBytes('/plain')).toBe('/plain');
  });
});

describe('what can be reached', () => {
  const points = (...lines: [id: number, parent: number, point: string][]) => {
    const table = lines.map(([id, parent, at]) => `${id} ${parent} 8:${id} / ${at} rw - ext4 x rw`).join('\n');
    const mounts = parseMountinfo(table);
    return mounts.filter(atOnce(createReachable(mounts))).map(({ id }) => id);
  };

  test('mounts side by side and below one another', () => {
    expect(points([1, 0, '/'], [2, 1, '/a'], [3, 2, '/a/b'], [4, 1, '/ab'])).toEqual([1, 2, 3, 4]);
  });

  test('the root may be its own parent', () => {
    expect(points([1, 1, '/'], [2, 1, '/a'])).toEqual([1, 2]);
  });

  test('a mount on top of another at the same place hides it and its submounts', () => {
    expect(points([1, 0, '/'], [2, 1, '/a'], [3, 2, '/a/b'], [4, 2, '/a'], [5, 4, '/a/c'])).toEqual([1, 4, 5]);
  });

  test('a later mount on a parent directory hides it', () => {
    expect(points([1, 0, '/'], [2, 1, '/mnt/a'], [3, 2, '/mnt/a/x'], [4, 1, '/mnt'], [5, 4, '/mnt/b'])).toEqual([
      1, 4, 5,
    ]);
  });

  test('a new root hides the old one', () => {
    expect(points([1, 0, '/'], [2, 1, '/old'], [3, 1, '/'], [4, 3, '/new'])).toEqual([3, 4]);
  });

  test('a mount at a removed directory is unreachable', () => {
    expect(points([1, 0, '/'], [2, 1, '/gone//deleted'])).toEqual([1]);
  });
});
