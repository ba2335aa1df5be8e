import path from 'node:path';
import { partOf } from '../../../core/part.ts';
import type { HistoryEvent, HistorySampler } from '../../../core/readings/history.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { eventsOf, parseContainerEvent } from '../engine-answers.ts';
import { engineSocketPaths, socketLookup } from './engine-sockets.ts';

/** One that fails and is started again all day is told of so often between two moments. */
const mostEvents = 10;
/** So many moments are between two attempts to reach an engine. */
const attemptEvery = 4;

/**
 * Hears from Docker when a container dies, and costs nothing while none does. Only of a Docker that runs anyway: to connect would start one that waits
 * for somebody to connect, and Podman's service would never end again.
 */
export const containersHistoryLinux = (host: LinuxHost): HistorySampler => {
  const { clock } = host;
  const following = new Map<string, () => void>();
  const trying = new Set<string>();
  let heard: HistoryEvent[] = [];
  let leftOut = 0;
  let moments = 0;
  let closed = false;

  const isRunning = (socket: string) => {
    const pid = /^\d{1,10}$/.exec(host.files.text(path.join(path.dirname(socket), 'docker.pid'))?.trim() ?? '')?.[0];
    return pid !== undefined && host.files.text(`/proc/${pid}/comm`)?.trim() === 'dockerd';
  };

  const hear = (line: string) => {
    const event = parseContainerEvent(line);
    const text = event === null ? null : eventInWords(event);
    if (text === null) return;
    if (heard.length < mostEvents) heard.push({ at: clock.now(), kind: 'container', text });
    else leftOut += 1;
  };

  const follow = async (socket: string) => {
    // Loaded where there is something to ask.
    const { createEngineClient } = await import('../engine-client.ts');
    const stop = await createEngineClient(host, socket).followLines(eventsOf(['die', 'oom']), hear, () =>
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

  const look = () => {
    // The module says why an engine cannot be reached.
    for (const place of engineSocketPaths(host.environment.variable('XDG_RUNTIME_DIR'), []))
      if (place.endsWith('/docker.sock') && isRunning(place)) reach(place).catch(() => {});
  };

  return {
    sample(moment) {
      for (const event of heard) moment.event(event);
      if (leftOut > 0)
        moment.event({ at: clock.now(), kind: 'container', text: `${leftOut} more containers failed in this time` });
      heard = [];
      leftOut = 0;
      if (moments++ % attemptEvery === 0) look();
    },
    close() {
      closed = true;
      for (const stop of following.values()) stop();
      following.clear();
    },
  };
};

/** null: it ended as it should. */
function eventInWords({ action, name, exitCode }: { action: string; name: string; exitCode: number | null }) {
  const called = JSON.stringify(name.slice(0, 64));
  if (action === 'oom') return `The container ${called} ran out of memory`;
  if (action !== 'die' || exitCode === 0) return null;
  return `The container ${called} ended${exitCode === null ? '' : ` with exit code ${exitCode}`}`;
}
