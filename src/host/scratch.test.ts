import { expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createScratch } from './scratch.ts';

test('all files together have a limit, and a removed file makes room', () => {
  const runtime = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-scratch-'));
  const scratch = createScratch(
    runtime,
    () => true,
    () => null,
  );
  try {
    const half = new Uint8Array(16 * 1024 * 1024);
    const [first = ''] = [scratch.put(half, '.png'), scratch.put(half, '.png')];
    expect(() => scratch.put(new Uint8Array(1), '.png')).toThrow(expect.objectContaining({ code: 'rate_limited' }));
    scratch.remove(first);
    expect(fs.existsSync(scratch.put(half, '.png'))).toBe(true);
  } finally {
    scratch.close();
    fs.rmSync(runtime, { recursive: true });
  }
});

test('a directory that was replaced meanwhile is not used again', () => {
  const runtime = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-scratch-'));
  const scratch = createScratch(
    runtime,
    () => true,
    () => null,
  );
  try {
    const first = path.dirname(scratch.put(new Uint8Array(1), '.png'));
    fs.renameSync(first, `${first}-moved`);
    fs.mkdirSync(first);
    expect(path.dirname(scratch.put(new Uint8Array(1), '.png'))).not.toBe(first);
    expect(fs.readdirSync(first)).toEqual([]);
  } finally {
    scratch.close();
    fs.rmSync(runtime, { recursive: true });
  }
});
