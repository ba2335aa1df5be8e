/** The integration in a real Home Assistant: `npm run test:home-assistant -- DIR`. */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { endProcess } from '../real/harness/end-process.ts';
import { findProgram } from '../real/harness/parts.ts';
import { startPrivateDunst } from '../real/harness/private-dunst.ts';
import { createToken } from '../real/harness/service.ts';
import { compareEntities, entitiesOf } from './entities.ts';
import { enterAddress, entryOf, flowsFrom, issuesOf, pair, step } from './flows.ts';
import { checkGlances } from './glances.ts';
import { startHomeAssistant } from './home-assistant.ts';
import { createMachine, plainPort, tlsPort } from './machine.ts';
import { createReport, expectTrue, secondsUntil } from './report.ts';

const [directory] = process.argv.slice(2);
const missing = ['dbus-daemon', 'Xvfb', 'dunst', 'xdotool', 'mpv', 'sox', 'python3', 'unshare', 'ip'].filter(
  (name) => !findProgram(name),
);
if (directory === undefined || missing.length > 0) {
  console.error(
    directory === undefined ? 'Usage: npm run test:home-assistant -- DIR' : `Missing: ${missing.join(', ')}`,
  );
  process.exit(2);
}

// Home Assistant needs an interface with multicast. Other services of this machine announce the same identity: here none is seen.
if (process.env.OWN_NETWORK === undefined) {
  const ownNetwork = 'ip link set lo up multicast on && ip route add 224.0.0.0/4 dev lo && exec "$@"';
  const alone = ['--net', 'sh', '-c', ownNetwork, 'sh'];
  const env = { ...process.env, OWN_NETWORK: 'yes' };
  const { status } = spawnSync('unshare', [...alone, process.execPath, ...process.argv.slice(1)], {
    env,
    stdio: 'inherit',
  });
  process.exit(status ?? 1);
}

const files = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-home-assistant-'));
const desktop = await startPrivateDunst();
const machine = await createMachine({ PATH: process.env.PATH ?? '', ...desktop.variables });
const home = await startHomeAssistant(path.resolve(directory)).catch(async (error) => {
  await desktop.remove();
  throw error;
});
const report = createReport();
const { check } = report;
const memory = 'memory_used';
/** To the token after the revocation. */
const granted = 'read,media,notify';
const player = await startPlayer();

const idOf = async (key: string): Promise<string> => {
  const all = await home.ask<{ entity_id: string; unique_id: string }[]>('config/entity_registry/list');
  const found = all.find(({ unique_id }) => unique_id.endsWith(`_${key}`));
  if (found === undefined) throw new Error(`there is no entity ${key}`);
  return found.entity_id;
};
const stateOf = async (key: string) => (await home.states()).get(await idOf(key));
const isAvailable = async (key: string) => (await stateOf(key))?.state !== 'unavailable';
/** Throws what Home Assistant shows where it fails. */
const service = async (domain: string, name: string, data: Record<string, unknown>, return_response = false) =>
  await home.ask<{ response: unknown }>('call_service', { domain, service: name, service_data: data, return_response });
const isLoaded = async () => (await entryOf(home))?.state === 'loaded';
const entryId = async () => (await entryOf(home))?.entry_id ?? '';
const hasIssue = async (key: string) => (await issuesOf(home)).some(({ translation_key }) => translation_key === key);
/** The service call fails and says why; the sentence. */
const refusalOf = async (action: string, input: unknown): Promise<string> => {
  const start = performance.now();
  const data = { config_entry_id: await entryId(), action, input };
  const refusal = await service('hostler', 'run', data).then(
    () => null,
    (error: Error) => error.message,
  );
  expectTrue(refusal?.includes('scope') === true, `it answered ${refusal}`);
  return `${refusal} (${Math.round(performance.now() - start)} ms)`;
};

try {
  await machine.start();
  await granting();
  if (!(await isLoaded())) throw new Error('the other checks need an entry');
  await services();
  await checkGlances(report, home, machine);
  await lifetime();
  await certificates();
  await revocation();
  await scopes();
} finally {
  await endProcess(player);
  await home.stop();
  await machine.remove();
  await desktop.remove();
  fs.rmSync(files, { recursive: true });
}
report.print();
process.exit(report.failed() === 0 ? 0 : 1);

async function startPlayer() {
  const title = path.join(files, 'tone.wav');
  spawnSync('sox', ['-n', '-r', '8000', '-c', '1', title, 'synth', '120', 'sine', '440']);
  return spawn('mpv', ['--no-video', '--ao=null', '--really-quiet', '--loop-playlist=inf', title, title], {
    env: { PATH: process.env.PATH ?? '', ...desktop.variables },
    stdio: 'ignore',
  });
}

async function granting(): Promise<void> {
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
    await desktop.press('Open');
    const event = async () => (await stateOf('notification'))?.attributes ?? {};
    await secondsUntil('the event', async () => (await event()).event_type !== undefined, 15);
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
    const { step_id, description_placeholders } = await pair(home, machine, flow?.flow_id ?? '', false);
    expectTrue(step_id === 'refused', `it shows ${step_id}`);
    return description_placeholders?.reason ?? '';
  });
  await check('access granted again with a token', async () => {
    const [flow] = await flowsFrom(home, 'reauth');
    const id = flow?.flow_id ?? '';
    await step(home, id, { next_step_id: 'token' });
    const token = await createToken(machine.service(), 'again', granted);
    const { reason } = await step(home, id, { token });
    expectTrue(reason === 'reauth_successful', String(reason));
    return await secondsUntil('available', async () => await isAvailable(memory));
  });
}
