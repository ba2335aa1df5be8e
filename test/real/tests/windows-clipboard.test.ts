// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { needs } from '../harness/parts.ts';
import { postJson, until } from '../harness/service.ts';
import { needsWine, startWineHostler, type WineHostler, x11Mounts } from '../harness/wine.ts';
import { wineProgram } from '../harness/wine-standin.ts';
import { createPrivateX11, type PrivateX11 } from '../harness/x11.ts';

setDefaultTimeout(180_000);

const units = (text: string) => Buffer.from(text, 'utf16le').swap16().toString('hex');
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe.skipIf(!needs('Xvfb') || !needsWine())('the clipboard of the Windows build under Wine', () => {
  let x11: PrivateX11;
  let hostler: WineHostler;

  beforeAll(async () => {
    x11 = createPrivateX11('Xvfb');
    await x11.start();
    hostler = await startWineHostler({
      mounts: [...(wineProgram('clipboard-user').mounts ?? []), ...x11Mounts],
      environment: { DISPLAY: x11.display() },
    });
  });
  afterAll(async () => {
    await hostler?.stop();
    await x11?.remove();
  });

  const ask = async (verb: 'get' | 'set', input: object) => {
    const answer = await postJson(hostler, `/api/clipboard/${verb}`, input);
    const reported = (await answer.json()) as { data?: { text?: string; png?: string }; error?: string };
    return { ...reported.data, error: reported.error, status: answer.status };
  };
  const other = (order: string) => hostler.beside(`wine 'C:\\standins\\clipboard-user.exe' ${order}`);

  test('is read as another program has set it, and set as another one reads it', async () => {
    expect(await other(`copy ${units('Hello é € 😀')}`)).toContain('copied');
    expect(await ask('get', {})).toMatchObject({ status: 200, text: 'Hello é € 😀' });
    const text = 'back\n\tä€😀';
    expect((await ask('set', { text })).status).toBe(200);
    expect(await other('paste')).toContain(`${units(text)} pasted`);
  });

  test('holds a picture, byte for byte', async () => {
    expect((await ask('set', { png: picture.toString('base64') })).status).toBe(200);
    expect(await ask('get', { format: 'png' })).toMatchObject({ status: 200, png: picture.toString('base64') });
    expect(await ask('get', { format: 'text' })).toMatchObject({ status: 404 });
  });

  test.each([
    ['ExcludeClipboardContentFromMonitorProcessing', 1, 403],
    ['Clipboard Viewer Ignore', 1, 403],
    ['CanIncludeInClipboardHistory', 0, 403],
    ['CanUploadToCloudClipboard', 0, 403],
    ['CanIncludeInClipboardHistory', 1, 200],
  ])('with the mark %p of %i is answered with %i', async (mark, value, status) => {
    expect(await other(`mark "${mark}" ${value}`)).toContain('copied');
    const answer = await ask('get', {});
    expect(answer.status).toBe(status);
    if (status === 403) expect(JSON.stringify(answer)).not.toContain('"secret"');
  });

  test('that another program keeps open for a moment is waited for, with a limit', async () => {
    await ask('set', { text: 'before' });
    const hold = async (ms: number) => {
      await hostler.beside(`wine 'C:\\standins\\clipboard-user.exe' hold ${ms} > /tmp/held.txt 2>&1 & sleep 0.1`);
      await until(async () => ((await hostler.beside('cat /tmp/held.txt')).includes('held') ? true : null));
    };
    await hold(60_000);
    expect(await ask('get', {})).toMatchObject({ status: 409 });
    expect(await ask('set', { text: 'x' })).toMatchObject({ status: 409 });
    await hostler.beside('wine taskkill /f /im clipboard-user.exe');
    expect(await ask('get', {})).toMatchObject({ status: 200, text: 'before' });
    await hold(300);
    expect(await ask('get', {})).toMatchObject({ status: 200, text: 'before' });
  });

  test('holds texts up to the maximum length', async () => {
    const text = 'x'.repeat(1024 * 1024);
    expect((await ask('set', { text })).status).toBe(200);
    expect((await ask('get', {})).text).toBe(text);
    // A third as many characters, of three bytes each.
    expect((await ask('set', { text: '€'.repeat(349_525) })).status).toBe(200);
    expect((await ask('get', {})).text).toHaveLength(349_525);
  });

  test('is available to the commands', async () => {
    // As an argument: Wine does not give a pipe of Linux to the runtime.
    expect(await hostler.beside('wine hostler.exe clipboard set "from the shell"')).toContain('clipboard');
    expect(await hostler.beside('wine hostler.exe clipboard get')).toContain('from the shell');
  });
});
