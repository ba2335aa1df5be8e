import { expect, test } from 'bun:test';
import { healthLogCommand } from './drive-commands.thread.ts';

test('the command asks for 512 bytes of page 2 of the whole controller', () => {
  const command = healthLogCommand(0x1122_3344_5566n, 10_000);
  const view = new DataView(command.buffer);
  expect([command.length, command[0], view.getUint32(4, true), view.getUint32(36, true)]).toEqual([
    72, 2, 0xffff_ffff, 512,
  ]);
  expect(view.getUint32(40, true)).toBe(0x007f_0002);
  expect(view.getBigUint64(24, true)).toBe(0x1122_3344_5566n);
});
