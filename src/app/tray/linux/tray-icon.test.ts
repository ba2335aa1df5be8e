import { expect, test } from 'bun:test';
import { trayIcons } from '../tray.contract.ts';
import { trayPictures } from './tray-icon.ts';

const pointOf = ([width, , points]: [number, number, Uint8Array], x: number, y: number) => [
  ...points.subarray((y * width + x) * 4, (y * width + x) * 4 + 4),
];

test('the picture is the icon of the dashboard: round corners, a white letter on green', () => {
  const picture = trayPictures('normal').find(([width]) => width === 32);
  if (picture === undefined) throw new Error('there is no picture of 32');
  expect(pointOf(picture, 0, 0)[0]).toBe(0);
  expect(pointOf(picture, 16, 4)).toEqual([255, 0x1f, 0x6f, 0x5c]);
  for (const [x, y] of [
    [9, 16],
    [23, 10],
    [16, 16],
  ] as const)
    expect(pointOf(picture, x, y)).toEqual([255, 255, 255, 255]);
});

test('every state has a different picture, at every size', () => {
  const all = trayIcons.map((icon) => trayPictures(icon));
  for (const pictures of all)
    for (const [width, height, points] of pictures) expect(points).toHaveLength(width * height * 4);
  for (const at of [0, 1, 2, 3]) {
    const texts = all.map((pictures) => Buffer.from(pictures[at]?.[2] ?? []).toString('hex'));
    expect(new Set(texts).size).toBe(trayIcons.length);
  }
});
