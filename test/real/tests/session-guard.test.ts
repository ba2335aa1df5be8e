import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { type Broker, openBroker, startWitness, type Witness } from '../harness/broker.ts';
import { connectTo } from '../harness/mcp-clients.ts';
import { connected, urlOf } from '../harness/mqtt-service.ts';
import { type Receiver, startReceiver } from '../harness/otlp-receiver.ts';
import { findProgram, needs } from '../harness/parts.ts';
import { createToken, type RunningHostler, runHostler, startHostler, until } from '../harness/service.ts';
import { startProgram } from '../harness/session-listener.ts';
import { connectSocket, type Message } from '../harness/socket-client.ts';
import { createPrivateX11, type PrivateX11 } from '../harness/x11.ts';

setDefaultTimeout(180_000);

const secret = 'Zebra-4711';
const everythingElse = 'read,files,media,notify,chat,control,input,power,processes,command';
const why = { field: 'active_window', reason: 'needs the scope screen', mendable: false };

interface State {
  name: string;
  reasons: { field: string | null }[];
  cost: { reads: number };
}

describe.skipIf(!needs('Xvfb', 'openbox', 'xterm', 'xdotool', 'mosquitto', 'mosquitto_sub'))(
  'the active window, on every transport of a real service',
  () => {
    let x11: PrivateX11;
    let hostler: RunningHostler;
    let broker: Broker;
    let witness: Witness;
    let collector: Receiver;
    let reader: string;
    let seer: string;
    const programs: { kill(): Promise<void> }[] = [];
    const env = () => ({ DISPLAY: x11.display(), HOME: '/nonexistent' });

    const xdotool = (...args: string[]) =>
      execFileSync(findProgram('xdotool') ?? '', ['search', '--class', 'xterm', ...args], {
        env: { PATH: process.env.PATH ?? '', ...env() },
        timeout: 30_000,
        stdio: 'ignore',
      });
    const title = (text: string) => xdotool('set_window', '--name', text);
    const create = async (name: string, scope: string) => {
      return await createToken(hostler, name, scope);
    };
    const get = async <T>(route: string, token: string): Promise<T> =>
      (await (await hostler.get(route, { 'X-API-Token': token })).json()) as T;

    beforeAll(async () => {
      x11 = createPrivateX11('Xvfb');
      await x11.start();
      broker = await openBroker();
      witness = await startWitness(broker);
      collector = startReceiver();
      hostler = await startHostler({
        env: { DISPLAY: x11.display() },
        prepare(directory) {
          fs.mkdirSync(path.join(directory, 'config'), { recursive: true });
          const settings = {
            mqtt: { url: urlOf(broker), interval: 1 },
            otlp: { encoding: 'json', interval: 5 },
          };
          fs.writeFileSync(path.join(directory, 'config', 'settings.json'), JSON.stringify(settings));
        },
      });
      [reader, seer] = await Promise.all([create('reader', everythingElse), create('seer', 'read,screen')]);
      programs.push(startProgram('openbox', ['--sm-disable'], env()));
      programs.push(startProgram('xterm', ['-T', secret, '-e', 'sleep', '600'], env()));
      await until(async () => {
        // A window that existed before its manager is not activated.
        try {
          xdotool('windowactivate');
        } catch {}
        const { active_window } = await get<{ active_window: { title: string } | null }>('/api/data/session', seer);
        return active_window?.title === secret || null;
      });
    });
    afterAll(async () => {
      for (const program of programs) await program.kill();
      await hostler?.stop();
      await collector?.[Symbol.asyncDispose]();
      await witness?.[Symbol.asyncDispose]();
      await broker?.[Symbol.asyncDispose]();
      await x11?.remove();
    });

    test('HTTP: null with its reason without the scope, and 401 without a token', async () => {
      expect((await hostler.get('/api/data/session', {})).status).toBe(401);
      const text = await (await hostler.get('/api/data/session', { 'X-API-Token': reader })).text();
      expect(JSON.parse(text)).toMatchObject({ type: 'x11', active_window: null });
      expect(text).not.toContain(secret);
      const part = await hostler.get('/api/data/session?fields=active_window.title', { 'X-API-Token': reader });
      expect(await part.text()).not.toContain(secret);
      const states = await get<State[]>('/api/modules', reader);
      expect(states.find(({ name }) => name === 'session')?.reasons).toContainEqual(why);
      const seen = await get<State[]>('/api/modules', seer);
      expect(seen.find(({ name }) => name === 'session')?.reasons).not.toContainEqual(why);
    });

    test('WebSocket: neither returned nor pushed, and a change of the title causes nothing that others can count', async () => {
      const [blind, seeing] = [await connectSocket(hostler), await connectSocket(hostler)];
      await blind.ask('GET_DATA', { modules: ['session'] }, { token: reader });
      await blind.ask('REGISTER_DATA_LISTENER', { modules: ['session'] }, { token: reader });
      await seeing.ask('REGISTER_DATA_LISTENER', { modules: ['session'] }, { token: seer });
      const ofSession = (messages: Message[]) => messages.filter(({ module }) => module === 'session');
      const says = (text: string) => (message: Message) =>
        message.module === 'session' && JSON.stringify(message.data).includes(text);
      await seeing.until(says(secret), 'the title comes to the one who may see it');
      await until(() => ofSession(blind.messages).length >= 2 || null);
      const reads = async (token: string) =>
        (await get<State[]>('/api/modules', token)).find(({ name }) => name === 'session')?.cost.reads ?? 0;
      // The cost of the start is over when nothing more is read.
      let before = await reads(reader);
      await until(async () => {
        const last = before;
        await Bun.sleep(500);
        before = await reads(reader);
        return last === before || null;
      });
      const receivedText = ofSession(blind.messages).length;
      const pushed = ofSession(seeing.messages).length;
      const beforeSeer = await reads(seer);
      for (let change = 1; change <= 12; change++) {
        title(`${secret} ${change}.`);
        await seeing.until(says(`${secret} ${change}.`), `title ${change} comes`);
      }
      expect(ofSession(seeing.messages).length).toBeGreaterThanOrEqual(pushed + 12);
      expect((await reads(seer)) - beforeSeer).toBeGreaterThanOrEqual(12);
      expect(ofSession(blind.messages).length).toBe(receivedText);
      // The broker may have been served meanwhile.
      expect((await reads(reader)) - before).toBeLessThan(6);
      expect(JSON.stringify(blind.messages)).not.toContain(secret);

      // The same connection with another token, and back.
      await blind.ask('REGISTER_DATA_LISTENER', { modules: ['session'] }, { token: seer });
      await blind.until(says(secret), 'with the scope it comes');
      await blind.ask('REGISTER_DATA_LISTENER', { modules: ['session'] }, { token: reader });
      const since = blind.messages.length;
      title(`${secret} d`);
      await seeing.until(says(`${secret} d`), 'it comes to the other');
      await blind.ask('GET_DATA', { modules: ['session'] }, { token: reader });
      expect(JSON.stringify(blind.messages.slice(since))).not.toContain(secret);
      blind.end();
      seeing.end();
    });

    test('agents: tools and resources show it only to a token with the scope', async () => {
      const ask = async (token: string) => {
        const client = await connectTo(hostler, { mode: 'legacy', over: 'http', token });
        const answers = [
          await client.callTool({ name: 'get_module', arguments: { module: 'session' } }),
          await client.callTool({
            name: 'wait_for',
            arguments: {
              module: 'session',
              field: 'active_window.title',
              op: 'contains',
              value: 'Z',
              timeout_seconds: 1,
            },
          }),
          await client.callTool({ name: 'get_overview', arguments: {} }),
          await client.readResource({ uri: 'hostler://module/session' }).catch((error: Error) => error.message),
        ];
        await client.close();
        return JSON.stringify(answers);
      };
      const blind = await ask(await create('agent', everythingElse));
      expect(blind).not.toContain(secret);
      expect(blind).toContain('needs the scope screen');
      expect(await ask(seer)).toContain(secret);
    });

    test('metrics, OTLP, MQTT, the history, the log and the state on disk never contain it', async () => {
      expect(await (await hostler.get('/metrics')).text()).toContain('hostler_session_idle');
      await connected(hostler);
      const endpoint = `http://127.0.0.1:${collector.port}`;
      const set = await runHostler(['settings', 'set', 'otlp.endpoint', endpoint], { directory: hostler.directory });
      expect(set.code).toBe(0);
      await until(() => witness.all().some(({ topic }) => topic.includes('session')) || null);
      await until(
        () => collector.received.some(({ body }) => Buffer.from(body).includes('hostler.session.idle')) || null,
      );
      title(`${secret} for all users`);
      await until(async () => {
        const { active_window } = await get<{ active_window: { title: string } }>('/api/data/session', seer);
        return active_window.title === `${secret} for all users` || null;
      });
      const pushes = collector.received.length;
      await until(() => collector.received.length > pushes + 1 || null);
      expect(await (await hostler.get('/metrics')).text()).not.toContain(secret);
      expect(collector.received.filter(({ body }) => Buffer.from(body).includes(secret))).toEqual([]);
      expect(witness.all().filter(({ payload }) => payload.includes(secret))).toEqual([]);
      expect(await (await hostler.get('/api/history')).text()).not.toContain(secret);
      expect(hostler.output()).not.toContain(secret);
      const found = fs
        .readdirSync(hostler.directory, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .filter((entry) => fs.readFileSync(path.join(entry.parentPath, entry.name)).includes(secret));
      expect(found.map(({ name }) => name)).toEqual([]);
    });

    test('the command line of the owner shows it', async () => {
      const { stdout } = await runHostler(['data', 'session', '--json'], {
        directory: hostler.directory,
        env: { DISPLAY: x11.display() },
      });
      expect(JSON.parse(stdout).active_window.title).toContain(secret);
    });
  },
);
