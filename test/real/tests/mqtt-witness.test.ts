// tier: full
import { describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import { openBroker, publish, startWitness } from '../harness/broker.ts';
import { hasNpmWitness, startNpmWitness } from '../harness/mqtt-npm-witness.ts';
import { announced, connected, long, marker, payloadAt, startWith, statusOf, urlOf } from '../harness/mqtt-service.ts';
import { needs } from '../harness/parts.ts';
import { until } from '../harness/service.ts';

const hasAll = needs('mosquitto', 'mosquitto_sub', 'mosquitto_pub') && hasNpmWitness;

describe.skipIf(!hasAll)('mosquitto_sub and the npm package mqtt, in both versions of the protocol', () => {
  test(
    'receive the same on every topic',
    async () => {
      await using broker = await openBroker();
      await using early = await startNpmWitness(broker, 5);
      await using hostler = await startWith({ url: urlOf(broker) });
      const { id } = await connected(hostler);
      await using witness = await startWitness(broker);
      await announced(witness, id);
      const { modules }: { modules: string[] } = await (await hostler.get('/api/mqtt')).json();
      expect(await hostler.stop()).toBe(0);
      // All of them read the same retained messages.
      await using five = await startNpmWitness(broker, 5);
      await using four = await startNpmWitness(broker, 4);
      await using sub = await startWitness(broker);
      publish(broker, 'the/end', 'now');
      await payloadAt(sub, 'the/end');
      for (const npm of [early, five, four])
        await until(() => npm.all().some(({ topic }) => topic === 'the/end') || null, long);
      const kept = (all: readonly { topic: string; payload: string; retain: boolean }[]) =>
        all
          .filter(({ retain }) => retain)
          .map(({ topic, payload }) => [topic, payload])
          .sort();
      const left = kept(sub.all());
      expect(kept(five.all())).toEqual(left);
      expect(kept(four.all())).toEqual(left);
      // A subscriber from the beginning received each of them, and the newest last.
      const newest = new Map(early.all().map(({ topic, payload }) => [topic, payload]));
      expect(left.map(([topic = '']) => [topic, newest.get(topic)])).toEqual(left);
      const topics = new Map(left.map(([topic = '', payload = '']) => [topic.replaceAll(id, 'ID'), payload]));
      expect(topics.get('hostler/ID/availability')).toBe('offline');
      expect(topics.get('hostler/ID/power_state')).toBe('on');
      expect(topics.has('homeassistant/device/hostler_ID/config')).toBe(true);
      const published = modules.filter((name) => topics.has(`hostler/ID/state/${name}`));
      expect(published).toEqual(expect.arrayContaining(['cpu', 'disks', 'memory', 'networks', 'processes', 'system']));
      for (const name of published) JSON.parse(topics.get(`hostler/ID/state/${name}`) ?? '');
    },
    long,
  );

  test(
    'send commands and requests with the same result',
    async () => {
      await using broker = await openBroker();
      await using hostler = await startWith({ url: urlOf(broker), scopes: ['read', 'command'] });
      const { id } = await connected(hostler);
      await until(async () => ((await statusOf(hostler)).controls.includes('command_mark') ? true : null), long);
      await using watching = await startWitness(broker);
      await announced(watching, id);
      for (const version of [4, 5] as const) {
        await using npm = await startNpmWitness(broker, version);
        const finished = () => npm.all().filter(({ topic }) => topic === `hostler/${id}/event/command_finished`).length;
        await npm.publish(`hostler/${id}/command/command_mark`, 'PRESS');
        await until(() => finished() === 1 || null, long);
        expect(fs.existsSync(marker(hostler.directory))).toBe(true);
        fs.rmSync(marker(hostler.directory));
        const request = '{"event":"GET_SETTINGS"}';
        if (version === 4) continue;
        await npm.publish(`hostler/${id}/request`, request, {
          responseTopic: 'answers/npm',
          correlationData: Buffer.from('seven'),
        });
        const answer = await until(() => npm.all().find(({ topic }) => topic === 'answers/npm') ?? null, long);
        expect([JSON.parse(answer.payload).type, answer.correlation, answer.retain]).toEqual([
          'SETTINGS_RESULT',
          'seven',
          false,
        ]);
      }
    },
    long,
  );
});
