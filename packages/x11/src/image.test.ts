import { expect, test } from 'bun:test';
import type { X11 } from './connection.ts';
import { readX11Image, visiblePart } from './image.ts';

function serverWith(answer: (y: number, rows: number, width: number) => Buffer) {
  const asked: number[][] = [];
  const x11: Pick<X11, 'root' | 'ask'> = {
    root: 7,
    async ask(opcode, detail, content = new Uint8Array()) {
      const request = Buffer.from(content);
      const [x, y, width, rows] = [
        request.readInt16LE(4),
        request.readInt16LE(6),
        request.readUInt16LE(8),
        request.readUInt16LE(10),
      ];
      expect([opcode, detail, request.readUInt32LE(0), request.readUInt32LE(12)]).toEqual([73, 2, 7, 0xffff_ffff]);
      asked.push([x, y, width, rows]);
      return Buffer.concat([Buffer.alloc(32), answer(y, rows, width)]);
    },
  };
  // Nothing else of it is used.
  return { x11: x11 as X11, asked };
}

test('a large screen comes in strips of half a megabyte, one after the other', async () => {
  const { x11, asked } = serverWith((y, rows, width) => Buffer.alloc(rows * width * 4, y & 255));
  const firsts: number[] = [];
  let bytes = 0;
  await readX11Image(x11, { x: 100, y: 50, width: 3840, height: 2160 }, (rows) => {
    firsts.push(rows[0] ?? 0);
    bytes += rows.length;
  });
  expect(bytes).toBe(3840 * 2160 * 4);
  expect(asked.every(([x, , width, rows]) => x === 100 && width === 3840 && (rows ?? 0) * 3840 * 4 <= 512 * 1024)).toBe(
    true,
  );
  expect(asked.map(([, y]) => (y ?? 0) & 255)).toEqual(firsts);
  expect(asked.reduce((sum, [, , , rows]) => sum + (rows ?? 0), 0)).toBe(2160);
});

test('a reply that is shorter than the picture is an error', async () => {
  const { x11 } = serverWith(() => Buffer.alloc(8));
  await expect(readX11Image(x11, { x: 0, y: 0, width: 10, height: 10 }, () => {})).rejects.toThrow('sent less');
});

test.each([
  [
    { x: -10, y: -20, width: 100, height: 100 },
    { x: 0, y: 0, width: 90, height: 80 },
  ],
  [
    { x: 1900, y: 1000, width: 100, height: 100 },
    { x: 1900, y: 1000, width: 20, height: 80 },
  ],
  [{ x: 1920, y: 0, width: 10, height: 10 }, null],
  [{ x: -10, y: 0, width: 10, height: 10 }, null],
])('the visible part of a window at %j is %j', (area, expected) => {
  expect(visiblePart(area, { width: 1920, height: 1080 })).toEqual(expected);
});
