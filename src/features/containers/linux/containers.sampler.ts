import path from 'node:path';
import { partOf } from '../../../core/part.ts';
import type { HistoryEvent, HistorySampler } from '../../../core/readings/history.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { eventsOf, parseContainerEvent } from '../engine-responses.ts';
import { engineSocketPaths, socketLookup } from './engine-sockets.ts';

/** Events between two samples; further ones are only counted. */
const mostEvents = 10;
/** Samples between two attempts to connect. */
const attemptEvery = 4;

/**
 * Follows the die and oom events of Docker, without work in between. Connects only to a Docker that already runs: a connection would
 * start a socket-activated one, and keep the service of Podman from ending.
 */
export const containersHistoryLinux = (host: LinuxHost): HistorySampler => {
  const { clock } = host;
  const following = new Map<string, () => void>();
  const trying = new Set<string>();
  let events: HistoryEvent[] = [];
  let leftOut = 0;
  let samples = 0;
  let closed = false;

  const isRunning = (socket: string) => {
    const pid = /^\d{1,10}$/.exec(host.files.text(path.join(path.dirname(socket), 'docker.pid'))?.trim() ?? '')?.[0];
    return pid !== undefined && host.files.text(`/proc/${pid}/comm`)?.trim() === 'dockerd';
  };

  const record = (line: string) => {
    const event = parseContainerEvent(line);
    const text = event === null ? null : eventInWords(event);
    if (text === null) return;
    if (events.length < mostEvents) events.push({ at: clock.now(), kind: 'container', text });
    else leftOut += 1;
  };

  const follow = async (socket: string) => {
    // Loaded only on machines with an engine.
    const { createEngineClient } = await import('../engine-client.ts');
    const stop = await createEngineClient(host, socket).followLines(eventsOf(['die', 'oom']), record, () =>
      following.delete(socket),
    );
    if (closed) stop();
    else following.set(socket, stop);
  };

  const reach = async (place: string) => {
    const found = (await partOf(host, socketLookup))(place);
    if (found.kind !== 'socket' || following.has(found.path) || trying.has(found.path)) return;
    trying.add(found.path);
    await follow(found.path).finally(() => trying.delete(found.path));
  };

  const connectAll = () => {
    // The module reports why an engine cannot be reached.
    for (const place of engineSocketPaths(host.environment.variable('XDG_RUNTIME_DIR'), []))
      if (place.endsWith('/docker.sock') && isRunning(place)) reach(place).catch(() => {});
  };

  return {
    sample(moment) {
      for (const event of events) moment.event(event);
      if (leftOut > 0)
        moment.event({ at: clock.now(), kind: 'container', text: `${leftOut} more containers failed in this time` });
      events = [];
      leftOut = 0;
      if (samples++ % attemptEvery === 0) connectAll();
    },
    close() {
      closed = true;
      for (const stop of following.values()) stop();
      following.clear();
    },
  };
};

/** null: ended without an error. */
function eventInWords({ action, name, exitCode }: { action: string; name: string; exitCode: number | null }) {
  const called = JSON.stringify(name.slice(0, 64));
  if (action === 'oom') return `The container ${called} ran out of memory`;
  if (action !== 'die' || exitCode === 0) return null;
  return `The container ${called} ended${exitCode === null ? '' : ` with exit code ${exitCode}`}`;
}
