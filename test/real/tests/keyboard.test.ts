import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { keyboardKeypress, keyboardText } from '../../../src/features/keyboard/keyboard.ts';
import { escapeKey } from '../../../src/features/keyboard/linux/keysyms.ts';
import { keyPlaceOf, readKeymap } from '../../../src/features/keyboard/linux/xtest.keymap.ts';
import { openFakeInput } from '../../../src/features/keyboard/linux/xtest.ts';
import { openDisplay } from '../../../src/host/linux/desktop/x11-display.ts';
import type { LinuxHost } from '../../../src/host/linux/linux-host.ts';
import { fakeActionContext } from '../../doubles/fake-host.ts';
import { until } from '../../harness/until.ts';
import { findProgram, needs } from '../harness/parts.ts';
import { createToken, type RunningHostler, runHostler, startHostler } from '../harness/service.ts';
import { hostIn } from '../harness/session-host.ts';
import { connectSocket } from '../harness/socket-client.ts';
import { createPrivateTerminal, type PrivateTerminal } from '../harness/terminal.ts';
import { createPrivateWayland, type PrivateWayland } from '../harness/wayland.ts';
import { createPrivateX11, hasXorg, type PrivateX11 } from '../harness/x11.ts';

setDefaultTimeout(120_000);

/** Expects this text in the terminal, and forgets it. */
const arrivesIn = (terminal: () => PrivateTerminal) => async (expected: string) => {
  await until(() => terminal().typed().length >= expected.length, `${expected.length} characters arrive`).catch(
    () => {},
  );
  expect(terminal().typed()).toBe(expected);
  terminal().forget();
};

/** Types until the terminal has the focus and everything has arrived. */
async function waitForFocus(terminal: PrivateTerminal, type: (text: string) => Promise<unknown>): Promise<void> {
  await until(async () => {
    await type('.');
    return terminal.typed().includes('.');
  }, 'the terminal has the focus');
  await type('!');
  await until(() => terminal.typed().endsWith('!'), 'everything has arrived');
  terminal.forget();
}

/** It covers the screen: without a window manager the keys go to what is under the pointer. */
const xterm = ['xterm', '-u8', '-geometry', '400x120+0+0', '-e'];
const manyCharacters = Array.from({ length: 600 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join('');
const everything = 'Hello, World! ~{}|"\'`^\\ £ é ß € „x“ ñ Ж я 日本 🎉 e\u0301 ﷽';

describe.each(['Xvfb', 'Xorg'] as const)('the keyboard under %s', (kind) => {
  const hasServer = () => (kind === 'Xvfb' ? needs('Xvfb') : hasXorg());
  describe.skipIf(!hasServer() || !needs('xterm', 'stty', 'setxkbmap', 'xmodmap', 'xset'))('into a real xterm', () => {
    let x11: PrivateX11;
    let host: LinuxHost;
    let terminal: PrivateTerminal;
    let env: Record<string, string>;
    let close: () => Promise<void>;
    let context: Parameters<typeof keyboardText.run>[1];

    beforeAll(async () => {
      x11 = createPrivateX11(kind);
      await x11.start();
      env = { PATH: process.env.PATH ?? '', DISPLAY: x11.display() };
      host = hostIn({ DISPLAY: x11.display() });
      ({ context, close } = fakeActionContext(host));
      terminal = createPrivateTerminal(xterm, env);
      await terminal.start();
      await waitForFocus(terminal, type);
    });
    afterAll(async () => {
      await close?.();
      await host?.close();
      await terminal?.remove();
      await x11?.remove();
    });

    const type = (text: string, delay = 0) => keyboardText.run({ text, delay }, context);
    const press = (key: string, ...modifiers: string[]) => keyboardKeypress.run({ key, modifiers }, context);
    const run = (program: string, ...args: string[]) =>
      execFileSync(findProgram(program) ?? program, args, { env, encoding: 'utf8' });
    const arrives = arrivesIn(() => terminal);

    test('any Unicode text arrives byte for byte', async () => {
      expect((await type(everything)).data.characters).toBe([...everything].length);
      await arrives(everything);
    });

    test('more different characters than there are keys arrive in order', async () => {
      await type(manyCharacters);
      await arrives(manyCharacters);
    });

    test('line ends, tabs and a long text arrive', async () => {
      const long = `${'The quick brown fox jumps over the lazy dog. ÄÖÜ€\t'.repeat(40)}\nend`;
      await type(long.replace('\n', '\r\n'));
      await arrives(long);
    });

    test('texts with a delay, and several at once, are typed one after the other', async () => {
      await Promise.all([type('aaaa', 5), type('bbbb'), type('cccc', 5)]);
      await arrives('aaaabbbbcccc');
    });

    test('keys with modifiers arrive', async () => {
      await press('a', 'control');
      await press('c', 'control');
      await press('x', 'alt');
      await press('A');
      await press('a', 'shift');
      for (const key of ['Enter', 'tab', 'backspace', 'escape']) await press(key);
      await press('numpad_5');
      await press('numpad_+');
      await press('é');
      const alt = terminal.typed().includes('\x1bx') ? '\x1bx' : 'ø';
      await arrives(`\x01\x03${alt}AA\n\t\x7f\x1b5+é`);
    });

    test('text arrives with another layout, and with CapsLock on', async () => {
      run('setxkbmap', 'de');
      await type('yz ÄÖü ß @ € ~ ^ 1!');
      await arrives('yz ÄÖü ß @ € ~ ^ 1!');
      run('setxkbmap', 'us,ru');
      await type('привет hello');
      await arrives('привет hello');
      await press('caps_lock');
      await type('Caps é É lock');
      await type(' slow É', 3);
      await arrives('Caps é É lock slow É');
      expect(run('xset', 'q')).toMatch(/Caps Lock:\s+on/);
      await press('caps_lock');
      run('setxkbmap', 'us');
    });

    test('borrowed key codes are restored', async () => {
      await close();
      const before = run('xmodmap', '-pke');
      await type('日本');
      await arrives('日本');
      expect(run('xmodmap', '-pke')).not.toBe(before);
      await close();
      expect(run('xmodmap', '-pke')).toBe(before);
    });

    test('a service that stops in the middle of a text or with a key held releases the key, and restores the key codes', async () => {
      const own = fakeActionContext(host);
      const typing = keyboardText.run({ text: '漢'.repeat(1000), delay: 20 }, own.context).catch(String);
      await until(() => terminal.typed().length > 3, 'it types');
      await own.close();
      expect(await typing).toContain('The service is stopping');
      const soFar = terminal.typed();
      const other = fakeActionContext(host);
      const holding = keyboardKeypress
        .run({ key: 'b', modifiers: ['shift', 'control'], delay: 10_000 }, other.context)
        .catch(String);
      await until(() => terminal.typed().length > soFar.length, 'it is held');
      await other.close();
      expect(await holding).toContain('The service is stopping');
      terminal.forget();
      await type('plain');
      await arrives('plain');
    });

    test('an unknown key is refused, without repeating what was typed', async () => {
      await expect(press('nokey')).rejects.toMatchObject({ code: 'invalid' });
      await expect(press('a', 'b')).rejects.toMatchObject({ code: 'invalid' });
      await expect(type('secret\x01')).rejects.toThrow(/control character/);
      const error = await type('secret\x01').catch((thrown) => thrown);
      expect(String(error)).not.toContain('secret');
      expect(terminal.typed()).toBe('');
    });

    test('the doctor reports that it works', async () => {
      expect(await keyboardText.unavailable(context)).toBeNull();
    });

    test('typing works in a new session after the previous one ended', async () => {
      await type('x');
      await arrives('x');
      await x11.end();
      await terminal.remove();
      await expect(type('lost')).rejects.toMatchObject({ code: 'unsupported' });
      await x11.start();
      terminal = createPrivateTerminal(xterm, env);
      await terminal.start();
      await waitForFocus(terminal, type);
    });
  });
});

/** Tests for every Wayland session. */
const inWayland = (
  compositor: 'sway' | 'mutter',
  terminalCommand: string[],
  options: Parameters<typeof createPrivateWayland>[1] = {},
) => {
  let wayland: PrivateWayland;
  let host: LinuxHost;
  let terminal: PrivateTerminal;
  let close: () => Promise<void>;
  let context: Parameters<typeof keyboardText.run>[1];
  const type = (text: string, delay = 0) => keyboardText.run({ text, delay }, context);
  const press = (key: string, ...modifiers: string[]) => keyboardKeypress.run({ key, modifiers }, context);
  const arrives = arrivesIn(() => terminal);

  beforeAll(async () => {
    wayland = createPrivateWayland(compositor, options);
    await wayland.start();
    const { variables } = wayland;
    const display = fs.readdirSync(variables.XDG_RUNTIME_DIR ?? '').find((name) => /^wayland-\d+$/.test(name)) ?? '';
    host = hostIn(variables);
    ({ context, close } = fakeActionContext(host));
    terminal = createPrivateTerminal(terminalCommand, { ...variables, WAYLAND_DISPLAY: display });
    await terminal.start();
    await waitForFocus(terminal, type);
  });
  afterAll(async () => {
    await close?.();
    await host?.close();
    await terminal?.remove();
    await wayland?.remove();
  });
  /** No state is stored for it: the keyboard disappears with the process. */
  const survivesKill = async () => {
    const hostler = await startHostler({ env: wayland.variables });
    try {
      const client = await connectSocket(hostler);
      client.send('KEYBOARD_KEYPRESS', { key: 'b', modifiers: ['control'], delay: 10_000 });
      await until(() => terminal.typed().length > 0, 'it is held');
      process.kill(hostler.pid, 'SIGKILL');
      await client.closed;
    } finally {
      await hostler.stop();
    }
    await until(async () => {
      terminal.forget();
      await type('c');
      await until(() => terminal.typed() !== '', 'it arrives');
      return terminal.typed().endsWith('c');
    }, 'control is up again');
    terminal.forget();
  };
  return {
    type,
    press,
    arrives,
    survivesKill,
    terminal: () => terminal,
    host: () => host,
    wayland: () => wayland,
    context: () => context,
  };
};

describe.skipIf(!needs('sway', 'foot', 'dbus-daemon', 'unshare', 'stty'))(
  'the keyboard under sway, into a real foot',
  () => {
    const { type, press, arrives, survivesKill, terminal, host, context } = inWayland('sway', ['foot']);

    test('any Unicode text arrives byte for byte', async () => {
      await type(everything);
      await arrives(everything);
    });

    test('more different characters than there are keys arrive in order', async () => {
      await type(manyCharacters);
      await arrives(manyCharacters);
    });

    test('keys with modifiers arrive, also several at once', async () => {
      await press('a', 'control');
      await press('c', 'control');
      await press('x', 'alt');
      for (const key of ['Enter', 'tab', 'backspace', 'escape']) await press(key);
      await Promise.all([type('aaaa', 5), type('bbbb'), type('cccc', 5)]);
      await arrives('\x01\x03\x1bx\n\t\x7f\x1baaaabbbbcccc');
    });

    test('a service that stops with a key held releases it', async () => {
      const other = fakeActionContext(host());
      const holding = keyboardKeypress
        .run({ key: 'b', modifiers: ['control'], delay: 10_000 }, other.context)
        .catch(String);
      await until(() => terminal().typed().length > 0, 'it is held');
      await other.close();
      expect(await holding).toContain('The service is stopping');
      const soFar = terminal().typed();
      await type('plain');
      await arrives(`${soFar}plain`);
    });

    test('a service that is killed with a key held leaves no key pressed', survivesKill);

    test('the doctor reports that it works', async () => {
      expect(await keyboardText.unavailable(context())).toBeNull();
    });
  },
);

describe.skipIf(!needs('mutter', 'foot', 'dbus-daemon', 'stty'))('the keyboard under mutter, into a real foot', () => {
  const { type, press, arrives, survivesKill, terminal, host, wayland } = inWayland('mutter', ['foot']);

  test('a service that is killed with a key held leaves no key pressed', survivesKill);

  test('characters of the layout arrive byte for byte', async () => {
    const text = 'Hello, World! ~{}|"\'`^\\ 0123456789\tQuick Brown Fox\n';
    await type(text);
    await arrives(text);
  });

  test('a character of a key that few keyboards have arrives every time, in every session', async () => {
    for (let time = 0; time < 5; time += 1) {
      const own = fakeActionContext(host());
      await keyboardText.run({ text: 'a€b'.repeat(20) }, own.context);
      await arrives('a€b'.repeat(20));
      await own.close();
    }
  });

  // A bug: while Mutter had not sent its layout yet, such a character was sent by a name that the layout does not have.
  test('a compositor that stalls while it receives a keyboard loses nothing silently', async () => {
    for (const stopAfterMs of [20, 200, 350, 500]) {
      const own = fakeActionContext(host());
      const typing = keyboardText.run({ text: '€€' }, own.context).then(
        () => 'typed',
        () => 'refused',
      );
      await new Promise((resolve) => setTimeout(resolve, stopAfterMs));
      process.kill(wayland().pid(), 'SIGSTOP');
      await new Promise((resolve) => setTimeout(resolve, 3500));
      process.kill(wayland().pid(), 'SIGCONT');
      const outcome = await typing;
      await own.close();
      await until(
        () =>
          type('.').then(
            () => true,
            () => false,
          ),
        'it takes keys again',
      );
      await until(() => terminal().typed().endsWith('.'), 'they arrive');
      if (outcome === 'typed') expect(terminal().typed().replaceAll('.', '')).toBe('€€');
      terminal().forget();
    }
  });

  test('text with characters that the layout lacks is refused completely, instead of dropping them silently', async () => {
    for (const text of ['a é b', '日本', '🎉']) {
      await expect(type(text)).rejects.toMatchObject({ code: 'unsupported' });
    }
    await type('c');
    await arrives('c');
  });

  test('keys with modifiers arrive', async () => {
    await press('a', 'control');
    await press('c', 'control');
    for (const key of ['Enter', 'tab', 'backspace', 'escape']) await press(key);
    await Promise.all([type('aaaa', 5), type('bbbb'), type('cccc', 5)]);
    await arrives('\x01\x03\n\t\x7f\x1baaaabbbbcccc');
  });
});

describe.skipIf(!needs('mutter', 'foot', 'dbus-daemon', 'stty'))(
  'the keyboard under mutter with a German layout, into a real foot',
  () => {
    const { type, arrives } = inWayland('mutter', ['foot'], { layout: 'de' });

    test('characters of the third level arrive, hundreds of them', async () => {
      const text = 'q@€{ä}ß~|µ²yz[Ö]\\'.repeat(10);
      for (let time = 0; time < 5; time += 1) {
        await type(text);
        await arrives(text);
      }
    });
  },
);

test.skipIf(!needs('Xvfb', 'xterm', 'stty'))(
  'over the service a token needs the scope, and no log has the text',
  async () => {
    const x11 = createPrivateX11('Xvfb');
    await x11.start();
    const terminal = createPrivateTerminal(xterm, { PATH: process.env.PATH ?? '', DISPLAY: x11.display() });
    await using hostler = await startHostler({ env: { DISPLAY: x11.display(), SERVICE_LOG_LEVEL: 'DEBUG' } });
    try {
      await terminal.start();
      const client = await connectSocket(hostler);
      await until(async () => {
        await client.ask('KEYBOARD_TEXT', { text: '.' });
        return terminal.typed().includes('.');
      }, 'xterm has the focus');
      const sent = await client.ask('KEYBOARD_TEXT', { text: 'xyzzy Ж' });
      expect(sent).toMatchObject({ type: 'KEYBOARD_TEXT_SENT', data: { characters: 7 } });
      await until(() => terminal.typed().endsWith('xyzzy Ж'), 'it arrives');
      expect(await client.ask('KEYBOARD_KEYPRESS', { key: 'q', modifiers: null, delay: null })).toMatchObject({
        type: 'KEYBOARD_KEY_PRESSED',
      });
      expect(await client.ask('KEYBOARD_KEYPRESS', {})).toMatchObject({ type: 'ERROR', subtype: 'MISSING_KEY' });
      expect(await client.ask('KEYBOARD_TEXT', {})).toMatchObject({ type: 'ERROR', subtype: 'MISSING_TEXT' });
      const token = await createToken(hostler, 'reader', 'read,media');
      const refused = await client.ask('KEYBOARD_TEXT', { text: 'xyzzy' }, { token });
      expect(refused).toMatchObject({ type: 'ERROR', subtype: 'FORBIDDEN' });
      client.end();
      expect(hostler.output()).not.toContain('xyzzy');
    } finally {
      await hostler.stop();
      await terminal.remove();
      await x11.remove();
    }
  },
);

describe.skipIf(!needs('Xvfb', 'xterm', 'stty', 'xmodmap'))('a text that takes long to type', () => {
  let x11: PrivateX11;
  let terminal: PrivateTerminal;
  let hostler: RunningHostler;
  let env: Record<string, string>;
  const slow = { text: 'x'.repeat(500), delay: 100 };
  const run = (program: string, ...args: string[]) =>
    execFileSync(findProgram(program) ?? program, args, { env, encoding: 'utf8' });
  /** A user at the machine, apart from the service. */
  const user = async (kind: 'press' | 'release', keysym: number) => {
    const host = hostIn({ DISPLAY: x11.display() });
    const { x11: place } = await host.session.find();
    if (place === null) throw new Error('there is no X server');
    const display = await openDisplay(host, place, 10_000);
    const input = await openFakeInput(display);
    input[kind](keyPlaceOf(await readKeymap(display), keysym)?.code ?? 0);
    await input.taken();
    display.close();
    await host.close();
  };
  const begins = async () => {
    terminal.forget();
    await until(() => terminal.typed().length > 2, 'it is being typed');
  };
  /** Another client can type at once, and nothing else is typed meanwhile or afterwards. */
  const hasStopped = async () => {
    const other = await connectSocket(hostler);
    await until(
      async () => (await other.ask('KEYBOARD_TEXT', { text: '|' })).type === 'KEYBOARD_TEXT_SENT',
      'another one is typed',
    );
    await until(() => terminal.typed().includes('|'), 'it arrives');
    await other.ask('KEYBOARD_TEXT', { text: 'end', delay: 300 });
    await until(() => terminal.typed().endsWith('d'), 'that arrives, too');
    expect(terminal.typed()).toMatch(/^x+\|end$/);
    other.end();
  };

  beforeAll(async () => {
    x11 = createPrivateX11('Xvfb');
    await x11.start();
    env = { PATH: process.env.PATH ?? '', DISPLAY: x11.display() };
    terminal = createPrivateTerminal(xterm, env);
    await terminal.start();
    hostler = await startHostler({ env: { DISPLAY: x11.display() } });
    const client = await connectSocket(hostler);
    await until(async () => {
      await client.ask('KEYBOARD_TEXT', { text: '.' });
      return terminal.typed().includes('.');
    }, 'xterm has the focus');
    client.end();
  });
  afterAll(async () => {
    await hostler?.stop();
    await terminal?.remove();
    await x11?.remove();
  });

  test('ends with its connection', async () => {
    const client = await connectSocket(hostler);
    client.send('KEYBOARD_TEXT', slow);
    await begins();
    client.end();
    await hasStopped();
  });

  test('ends with its token, also when another one is used on the same connection', async () => {
    const token = await createToken(hostler, 'typist', 'input');
    const client = await connectSocket(hostler);
    client.send('KEYBOARD_TEXT', slow, { token });
    await begins();
    await client.ask('GET_DIRECTORIES');
    await runHostler(['token', 'revoke', 'typist'], { directory: hostler.directory });
    const stopped = await client.until(({ id }) => id === 'KEYBOARD_TEXT', 'it is answered');
    expect(stopped).toMatchObject({ type: 'ERROR', subtype: 'FAILED', message: expect.stringContaining('revoked') });
    client.end();
    await hasStopped();
  });

  test('ends when any client cancels it', async () => {
    const [client, other] = await Promise.all([connectSocket(hostler), connectSocket(hostler)]);
    client.send('KEYBOARD_TEXT', slow);
    await begins();
    const cancelled = await other.ask('KEYBOARD_CANCEL');
    expect(cancelled).toMatchObject({ type: 'KEYBOARD_CANCELLED', data: { cancelled: 1 } });
    const stopped = await client.until(({ id }) => id === 'KEYBOARD_TEXT', 'it is answered');
    expect(stopped).toMatchObject({ type: 'ERROR', message: expect.stringContaining('cancelled by main') });
    client.end();
    other.end();
    await hasStopped();
  });

  test('ends when a user at the machine presses Escape', async () => {
    const client = await connectSocket(hostler);
    client.send('KEYBOARD_TEXT', slow);
    await begins();
    await user('press', escapeKey);
    const stopped = await client.until(({ id }) => id === 'KEYBOARD_TEXT', 'it is answered');
    await user('release', escapeKey);
    expect(stopped).toMatchObject({ type: 'ERROR', message: expect.stringContaining('Escape') });
    client.end();
    await until(() => terminal.typed().includes('\x1b'), 'the Escape arrives');
    terminal.forget();
  });

  test('is refused when it would take longer than a minute, alone or with the queue', async () => {
    const client = await connectSocket(hostler);
    const long = await client.ask('KEYBOARD_TEXT', { text: 'x'.repeat(10_000), delay: 1000 });
    expect(long).toMatchObject({ type: 'ERROR', subtype: 'BAD_REQUEST', message: expect.stringContaining('60 s') });
    client.send('KEYBOARD_TEXT', slow);
    await begins();
    const more = await client.ask('KEYBOARD_TEXT', slow, { id: 'more' });
    expect(more).toMatchObject({ type: 'ERROR', subtype: 'RATE_LIMITED' });
    client.end();
    await hasStopped();
  });

  test('leaves no key pressed and no key code borrowed after a kill, once the service is restarted', async () => {
    const { directory } = hostler;
    const layout = () => run('xmodmap', '-pke');
    await until(async () => !layout().includes('U65E5'), 'nothing is borrowed');
    const before = layout();
    const client = await connectSocket(hostler);
    await client.ask('KEYBOARD_TEXT', { text: '日本' });
    terminal.forget();
    client.send('KEYBOARD_KEYPRESS', { key: 'b', modifiers: ['control', 'shift'], delay: 10_000 });
    await until(() => terminal.typed() !== '', 'the keys are down');
    process.kill(hostler.pid, 'SIGKILL');
    await client.closed;
    expect(layout()).not.toBe(before);
    terminal.forget();
    for (const kind of ['press', 'release'] as const) await user(kind, 'c'.charCodeAt(0));
    // Control is down: it is no c.
    await until(() => terminal.typed().includes('\x03'), 'a control character arrives');
    hostler = await startHostler({ directory, env: { DISPLAY: x11.display() } });
    await until(() => hostler.output().includes('an earlier run'), 'it is put right');
    expect(layout()).toBe(before);
    expect(fs.readdirSync(path.join(directory, 'state'))).not.toContain('keyboard.journal');
    terminal.forget();
    for (const kind of ['press', 'release'] as const) await user(kind, 'c'.charCodeAt(0));
    await until(() => terminal.typed() !== '', 'it arrives');
    expect(terminal.typed().at(-1)).toBe('c');
  });
});

test('without a session nothing is typed, and the reason is reported', async () => {
  const host = hostIn({});
  const { context } = fakeActionContext(host);
  await expect(keyboardText.run({ text: 'x' }, context)).rejects.toMatchObject({ code: 'unsupported' });
  expect(await keyboardText.unavailable(context)).toContain('no desktop session');
  await host.close();
});
