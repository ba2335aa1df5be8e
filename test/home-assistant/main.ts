/** The integration in a real Home Assistant: `npm run test:home-assistant -- DIR`. */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { endProcess } from '../real/harness/end-process.ts';
import { findProgram } from '../real/harness/parts.ts';
import { startPrivateDunst } from '../real/harness/private-dunst.ts';
import { createToken, postJson, root } from '../real/harness/service.ts';
import { createPrivateSound, hasSound } from '../real/harness/sound.ts';
import { checkAgentTools } from './agent-tools.ts';
import { compareEntities, entitiesOf } from './entities.ts';
import { enterAddress, entriesOf, flowsFrom, issuesOf, pair, step } from './flows.ts';
import { checkGlances } from './glances.ts';
import { startHomeAssistant } from './home-assistant.ts';
import { createMachine, plainPort, secondPort, tlsPort } from './machine.ts';
import { createHomeNetwork } from './network.ts';
import { addSounds, playback } from './playback.ts';
import { testPython } from './python.ts';
import { countRows } from './recorder.ts';
import { compareWithPsutil } from './reference.ts';
import { createReport, expectTrue, secondsUntil } from './report.ts';
import { createScene } from './scene.ts';

const [directory, minutes = '1'] = process.argv.slice(2);
const missing = ['dbus-daemon', 'Xvfb', 'dunst', 'xdotool', 'mpv', 'sox', 'python3', 'unshare', 'ip'].filter(
  (name) => !findProgram(name),
);
if (directory === undefined || missing.length > 0) {
  console.error(
    directory === undefined
      ? 'Usage: npm run test:home-assistant -- DIR [MINUTES of the recorder]'
      : `Missing: ${missing.join(', ')}`,
  );
  process.exit(2);
}

// Other services of this machine announce the same identity: in a network of its own none is seen.
if (process.env.OWN_NETWORK === undefined) {
  const alone = ['--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
  const env = { ...process.env, OWN_NETWORK: 'yes' };
  const { status } = spawnSync('unshare', [...alone, process.execPath, ...process.argv.slice(1)], {
    env,
    stdio: 'inherit',
  });
  process.exit(status ?? 1);
}

const files = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-home-assistant-'));
const tone = path.join(files, 'tone.wav');
spawnSync('sox', ['-n', '-r', '8000', '-c', '1', tone, 'synth', '120', 'sine', '440']);
const network = createHomeNetwork();
const desktop = await startPrivateDunst();
const sound = hasSound() ? createPrivateSound() : null;
await sound?.start();
const session = {
  PATH: process.env.PATH ?? '',
  ...desktop.variables,
  ...(sound !== null && { XDG_RUNTIME_DIR: sound.directory }),
};
const machine = await createMachine(session);
const report = createReport();
await testPython(path.resolve(directory), network.within, report);
const home = await startHomeAssistant(path.resolve(directory), {
  within: network.within,
  prepare: (configuration) => addSounds(configuration, tone),
}).catch(async (error) => {
  network.remove();
  await sound?.remove();
  await desktop.remove();
  throw error;
});
const scene = createScene(home, machine, report);
const { check, idOf, stateOf, isAvailable, service, isLoaded, entryId, hasIssue, refusalOf } = scene;
const memory = 'memory_used';
/** To the token after the revocation. */
const granted = 'read,media,notify';
const player = await startPlayer();

try {
  await machine.start();
  await granting();
  if (!(await isLoaded())) throw new Error('the other checks need an entry');
  await compareWithPsutil(scene, path.resolve(directory));
  await countRows(scene, Number(minutes));
  await services();
  await checkGlances(report, home, machine);
  await checkAgentTools(report, home, network.within);
  if (sound !== null) await playback(scene, sound);
  await onRequest();
  await lifetime();
  await secondMachine();
  await certificates();
  await revocation();
  await scopes();
} finally {
  await endProcess(player);
  await home.stop();
  await machine.remove();
  network.remove();
  await sound?.remove();
  await desktop.remove();
  fs.rmSync(files, { recursive: true });
}
report.print();
process.exit(report.failed() === 0 ? 0 : 1);

/** Presses a button of a notification once it is on the screen. */
async function press(label: string): Promise<void> {
  await secondsUntil('the notification', async () => desktop.shown() > 0);
  await desktop.press(label);
}

async function startPlayer() {
  return spawn('mpv', ['--no-video', '--ao=null', '--really-quiet', '--loop-playlist=inf', tone, tone], {
    env: { PATH: process.env.PATH ?? '', ...desktop.variables },
    stdio: 'ignore',
  });
}

async function granting(): Promise<void> {
  await check('found on the network', async () =>
    secondsUntil('the machine', async () => (await flowsFrom(home, 'zeroconf')).length === 1),
  );
  await check('an address without a service', async () => {
    const { errors } = await enterAddress(home, 1, false);
    expectTrue(errors?.base === 'cannot_connect', JSON.stringify(errors));
    return '';
  });
  await check('a wrong token', async () => {
    const { flow_id } = await enterAddress(home, plainPort, false);
    await step(home, flow_id, { next_step_id: 'token' });
    const { errors } = await step(home, flow_id, { token: 'wrong' });
    await home.rest('DELETE', `/api/config/config_entries/flow/${flow_id}`);
    expectTrue(errors?.base === 'invalid_auth', JSON.stringify(errors));
    return '';
  });
  await check('pairing accepted, with the same digits on both sides', async () => {
    const { flow_id } = await enterAddress(home, plainPort, false);
    const { type, reason } = await pair(home, machine, flow_id, true);
    expectTrue(type === 'create_entry', `${type} ${reason}`);
    return `loaded after ${await secondsUntil('the entry', isLoaded)}`;
  });
  await check('every entity shows what the API answers', async () => {
    await Bun.sleep(5000);
    return await compareEntities(home, machine.service());
  });
  await check('diagnostics have no secret', async () => {
    const { body } = await home.rest<object>('GET', `/api/diagnostics/config_entry/${await entryId()}`);
    const text = JSON.stringify(body);
    expectTrue(!/"token":\s*"(?!\*\*)/.test(text), 'there is a token');
    return `${text.length} characters`;
  });
}

async function services(): Promise<void> {
  const media = async () => await stateOf('media_player');
  const becomes = async (what: string, name: string, data: Record<string, unknown>, isTrue: () => Promise<boolean>) =>
    await check(`media player: ${what}`, async () => {
      await service('media_player', name, { entity_id: await idOf('media_player'), ...data });
      return await secondsUntil(what, isTrue, 15);
    });
  await check('media player: the state of a real player', async () => {
    await secondsUntil('playing', async () => (await media())?.state === 'playing');
    return String((await media())?.attributes.media_title);
  });
  await becomes('pause', 'media_pause', {}, async () => (await media())?.state === 'paused');
  await becomes('play', 'media_play', {}, async () => (await media())?.state === 'playing');
  await becomes(
    'volume',
    'volume_set',
    { volume_level: 0.3 },
    async () => (await media())?.attributes.volume_level === 0.3,
  );
  await becomes('seek', 'media_seek', { seek_position: 60 }, async () => {
    const at = Number((await media())?.attributes.media_position);
    return at >= 59 && at < 90;
  });
  await check('notification with a button, and its event', async () => {
    const notification = { title: 'Door', message: 'Open it?', actions: [{ command: 'open', label: 'Open' }] };
    await service('hostler', 'notify', { config_entry_id: await entryId(), notification });
    await press('Open');
    const event = async () => (await stateOf('notification'))?.attributes ?? {};
    await secondsUntil('the event', async () => (await event()).event_type != null, 15);
    return JSON.stringify(await event()).slice(0, 160);
  });
  await check('notify entity', async () => {
    await service('notify', 'send_message', { entity_id: await idOf('notify'), message: 'From a test' });
    return await secondsUntil('shown', async () => desktop.history().some(({ summary }) => summary === 'From a test'));
  });
  await check('an action returns data', async () => {
    const request = { config_entry_id: await entryId(), action: 'processes.busiest', input: {} };
    return JSON.stringify((await service('hostler', 'run', request, true)).response).slice(0, 80);
  });
  await check('an action without its scope is refused with the reason', async () =>
    refusalOf('keyboard.keypress', { key: 'a' }),
  );
}

/** What exists only where the user of the machine allows it: the clipboard and screenshots; and triggers of the device. */
async function onRequest(): Promise<void> {
  await check('clipboard: a text that Home Assistant does not keep', async () => {
    await machine.command('token', 'change', 'Home Assistant', '--add-scope', 'clipboard,screen');
    const seconds = await secondsUntil('the entity', async () => (await idOf('clipboard').catch(() => '')) !== '');
    await service('text', 'set_value', { entity_id: await idOf('clipboard'), value: 'from Home Assistant' });
    const copied = await (await postJson(machine.service(), '/api/clipboard/get', { format: 'text' })).text();
    expectTrue(copied.includes('from Home Assistant'), `the clipboard has ${copied.slice(0, 100)}`);
    expectTrue((await stateOf('clipboard'))?.state === 'unknown', 'its text is a state');
    return `there after ${seconds}`;
  });
  await check('screenshot: only after it was allowed on the machine, and when its button is pressed', async () => {
    expectTrue((await idOf('screen').catch(() => '')) === '', 'it is there already');
    await machine.command('settings', 'set', 'screen.allowed', 'true');
    await secondsUntil('the entity', async () => (await idOf('screen').catch(() => '')) !== '');
    expectTrue((await stateOf('screen'))?.state === 'unknown', 'a picture was taken already');
    await service('button', 'press', { entity_id: await idOf('screenshot') });
    const shown = await stateOf('screen');
    const picture = await home.rest<string>('GET', String(shown?.attributes.entity_picture));
    expectTrue(picture.status === 200 && picture.body.startsWith('\u{fffd}PNG'), `it answers ${picture.status}`);
    return `taken at ${shown?.state}, ${picture.body.length} characters`;
  });
  await check('triggers of the device: its states and the answer to a notification', async () => {
    const all = await home.ask<{ id: string; identifiers: [string, string][] }[]>('config/device_registry/list');
    const device_id = all.find(({ identifiers }) => identifiers.some(([domain]) => domain === 'hostler'))?.id;
    const triggers = await home.ask<Record<string, string>[]>('device_automation/trigger/list', { device_id });
    const kinds = [...new Set(triggers.map(({ domain, type }) => `${domain}.${type}`))];
    expectTrue(kinds.includes('hostler.pressed'), kinds.join());
    expectTrue(
      kinds.some((kind) => kind.startsWith('binary_sensor.')),
      kinds.join(),
    );
    const { metadata, ...trigger } = triggers.find(({ type }) => type === 'pressed') ?? {};
    const fired: unknown[] = [];
    await home.ask('subscribe_trigger', { trigger }, (event) => fired.push(event));
    const notification = { title: 'Gate', message: 'Close it?', actions: [{ command: 'close', label: 'Close' }] };
    await service('hostler', 'notify', { config_entry_id: await entryId(), notification });
    await press('Close');
    const seconds = await secondsUntil(
      'the trigger',
      async () => JSON.stringify(fired).includes('"command":"close"'),
      15,
    );
    return `${triggers.length} triggers of ${kinds.length} kinds; fired after ${seconds}`;
  });
}

/** Another machine beside the first: its own entry and device, and neither affects the other. */
async function secondMachine(): Promise<void> {
  const other = await createMachine(session, { port: secondPort, id: '0123456789abcdef0123456789abcdef' });
  try {
    await check('two machines', async () => {
      await other.start();
      const { flow_id } = await enterAddress(home, secondPort, false);
      await step(home, flow_id, { next_step_id: 'token' });
      const token = await createToken(other.service(), 'second', 'read');
      const { type, reason } = await step(home, flow_id, { token });
      expectTrue(type === 'create_entry', `${type} ${reason}`);
      const entries = async () => (await entriesOf(home)).filter(({ state }) => state === 'loaded');
      await secondsUntil('both entries', async () => (await entries()).length === 2);
      const all = await home.ask<{ entity_id: string; unique_id: string }[]>('config/entity_registry/list');
      const ids = all.filter(({ unique_id }) => unique_id.endsWith(`_${memory}`)).map(({ entity_id }) => entity_id);
      expectTrue(ids.length === 2, `the entities are ${ids.join()}`);
      await other.end('SIGKILL');
      const states = async () => {
        const known = await home.states();
        return ids.map((id) => known.get(id)?.state === 'unavailable');
      };
      await secondsUntil('one unavailable', async () => (await states()).filter(Boolean).length === 1);
      expectTrue(await isAvailable(memory), 'the first one is unavailable too');
      const second = (await entriesOf(home)).find(({ entry_id }, index) => index > 0 && entry_id !== '');
      await home.rest('DELETE', `/api/config/config_entries/entry/${second?.entry_id}`);
      return ids.join(', ');
    });
  } finally {
    await other.remove();
  }
}

/** With a token that has fewer scopes than the integration can use. */
async function scopes(): Promise<void> {
  await check('a token without some scopes: no buttons for them, and a repair that names them', async () => {
    await secondsUntil('the repair', async () => await hasIssue('missing_scopes'));
    const left = (await entitiesOf(home, machine.service())).filter(
      ({ described }) =>
        described?.platform === 'button' &&
        !described.control?.scopes.some((scope) => granted.split(',').includes(scope)),
    );
    expectTrue(left.length > 0, 'there were no such buttons');
    for (const { key } of left) expectTrue(!(await isAvailable(key)), `${key} is available`);
    const issue = (await issuesOf(home)).find(({ translation_key }) => translation_key === 'missing_scopes');
    return `${issue?.translation_placeholders?.scopes}; ${left.length} buttons are unavailable`;
  });
  await check('the action behind a button is refused with the reason', async () => refusalOf('power.lock', {}));
  await check('scopes granted: the buttons are back without a reload, and the repair is gone', async () => {
    await machine.command('token', 'change', 'again', '--add-scope', 'files,control,power,command,input');
    const back = await secondsUntil('buttons', async () => await isAvailable('power_cancel'));
    await secondsUntil('no repair', async () => !(await hasIssue('missing_scopes')));
    return back;
  });
  await check('removed: no entity is left', async () => {
    await home.rest('DELETE', `/api/config/config_entries/entry/${await entryId()}`);
    const left = (await home.ask<{ platform: string }[]>('config/entity_registry/list')).filter(
      ({ platform }) => platform === 'hostler',
    );
    expectTrue(left.length === 0, `${left.length} entities`);
    return '';
  });
}

/** Ends or freezes the service, and brings it back. */
async function lifetime(): Promise<void> {
  const gone = async () => await secondsUntil('unavailable', async () => !(await isAvailable(memory)), 90);
  const back = async () => await secondsUntil('available', async () => await isAvailable(memory), 90);
  for (const [name, signal] of [
    ['clean stop', 'SIGTERM'],
    ['kill', 'SIGKILL'],
  ] as const)
    await check(name, async () => {
      await machine.end(signal);
      const unavailable = await gone();
      expectTrue((await stateOf('power_state'))?.state === 'off', 'power_state is not off');
      await machine.start();
      return `unavailable after ${unavailable}, back ${await back()} after the start`;
    });
  const built = path.join(root, 'dist', 'hostler');
  if (fs.existsSync(built))
    await check('an upgrade: another program file with the same state', async () => {
      const before = (await entitiesOf(home, machine.service())).map(({ entity_id }) => entity_id);
      await machine.end('SIGTERM');
      await machine.start(true);
      const seconds = await back();
      const after = new Set((await entitiesOf(home, machine.service())).map(({ entity_id }) => entity_id));
      const lost = before.filter((id) => !after.has(id));
      expectTrue(lost.length === 0, `lost: ${lost.join()}`);
      return `${before.length} entities are back ${seconds} after the start`;
    });
  else console.log('skipped an upgrade: dist/hostler is not built');
  await check('network cut, without a closed connection', async () => {
    network.cut();
    const unavailable = await gone().finally(network.restore);
    return `unavailable after ${unavailable}, back ${await back()} after it was restored`;
  });
  console.log('skipped a jump of the clock: it would be that of this whole machine');
  await check('SIGSTOP', async () => {
    machine.signal('SIGSTOP');
    const unavailable = await gone().finally(() => machine.signal('SIGCONT'));
    return `unavailable after ${unavailable}, back ${await back()} after SIGCONT`;
  });
  await check('reload', async () => {
    await home.rest('POST', `/api/config/config_entries/entry/${await entryId()}/reload`, {});
    return await back();
  });
}

async function certificates(): Promise<void> {
  const secure = { server: { tls: 'auto', tlsPort } };
  const reconfigure = async (): Promise<string> => {
    const shown = await enterAddress(home, tlsPort, true, await entryId());
    const fingerprint = shown.description_placeholders?.fingerprint ?? '';
    expectTrue(
      (await machine.command('tls', 'fingerprint')).includes(fingerprint),
      `another fingerprint: ${fingerprint}`,
    );
    const { type, reason } = await pair(home, machine, shown.flow_id, true);
    expectTrue(reason === 'reconfigure_successful', `${type} ${reason}`);
    return await secondsUntil('available', async () => (await isLoaded()) && (await isAvailable(memory)));
  };
  await check('reconfigured to TLS, with the fingerprint of the machine', async () => {
    await machine.end('SIGTERM');
    machine.configure(secure);
    await machine.start();
    return await reconfigure();
  });
  await check('another certificate authority: unavailable, and a repair', async () => {
    await machine.end('SIGTERM');
    machine.forgetAuthority();
    await machine.start();
    const repair = await secondsUntil('the repair', async () => await hasIssue('certificate_changed'));
    expectTrue(!(await isAvailable(memory)), 'it is available');
    return repair;
  });
  await check('reconfigured: available, and no repair', async () => {
    const back = await reconfigure();
    await secondsUntil('no repair', async () => !(await hasIssue('certificate_changed')));
    return back;
  });
}

async function revocation(): Promise<void> {
  await check('a revoked token: unavailable, and access is asked for', async () => {
    for (const name of (await machine.command('token', 'list')).match(/Home Assistant(?: \d+)?/g) ?? [])
      await machine.command('token', 'revoke', name);
    const unavailable = await secondsUntil('unavailable', async () => !(await isAvailable(memory)));
    await secondsUntil('the flow', async () => (await flowsFrom(home, 'reauth')).length === 1);
    return unavailable;
  });
  await check('pairing denied there', async () => {
    const [flow] = await flowsFrom(home, 'reauth');
    await step(home, flow?.flow_id ?? '', {});
    const { step_id, errors } = await pair(home, machine, flow?.flow_id ?? '', false);
    expectTrue(step_id === 'refused', `it shows ${step_id}`);
    expectTrue(errors?.base === 'denied', JSON.stringify(errors));
    return 'denied';
  });
  await check('access granted again with a token', async () => {
    const [flow] = await flowsFrom(home, 'reauth');
    const id = flow?.flow_id ?? '';
    await step(home, id, {});
    await step(home, id, { next_step_id: 'token' });
    const token = await createToken(machine.service(), 'again', granted);
    const { reason } = await step(home, id, { token });
    expectTrue(reason === 'reauth_successful', String(reason));
    return await secondsUntil('available', async () => await isAvailable(memory));
  });
}
