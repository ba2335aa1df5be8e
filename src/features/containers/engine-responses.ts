import { isObject } from '../../lib/values.ts';
import type { ContainerEngineEntry, ContainerEntry } from './containers.schema.ts';

const containerStates = [
  'created',
  'running',
  'paused',
  'restarting',
  'stopping',
  'removing',
  'exited',
  'dead',
  'unknown',
] as const;

const healthStates = ['starting', 'healthy', 'unhealthy'] as const;

export type EngineFacts = Pick<ContainerEngineEntry, 'name' | 'version' | 'rootless'>;

export type InspectedContainer = NonNullable<ReturnType<typeof parseInspected>>;

const mostPorts = 100;

/** Only such ids become part of an API path or are searched in a control group. */
export const isContainerId = (text: unknown): text is string => typeof text === 'string' && /^[0-9a-f]{64}$/.test(text);

/** From `/version` and `/info` of an engine. */
export function parseEngineFacts(version: unknown, info: unknown): EngineFacts {
  const versionFields = isObject(version) ? version : {};
  const components = Array.isArray(versionFields.Components) ? versionFields.Components : [];
  const isPodman = components.some((component) => isObject(component) && component.Name === 'Podman Engine');
  const fields = isObject(info) ? info : {};
  const options = Array.isArray(fields.SecurityOptions) ? fields.SecurityOptions : null;
  const isOption = options?.some((option) => /^(?:name=)?rootless/.test(String(option))) ?? null;
  return {
    name: isPodman ? 'podman' : 'docker',
    version: textIn(versionFields.Version, 64),
    // Docker lists it in SecurityOptions, Podman has a field.
    rootless: typeof fields.Rootless === 'boolean' ? fields.Rootless : isOption,
  };
}

/** Ids from `/containers/json`, the newest first. null: not a list of containers. */
export function parseContainerIds(list: unknown): string[] | null {
  if (!Array.isArray(list)) return null;
  return list.flatMap((entry) => (isObject(entry) && isContainerId(entry.Id) ? [entry.Id] : []));
}

/** A container as its engine describes it. Times are Unix seconds. null: not a container. */
export function parseInspected(response: unknown) {
  if (!isObject(response) || !isContainerId(response.Id)) return null;
  const state = isObject(response.State) ? response.State : {};
  const config = isObject(response.Config) ? response.Config : {};
  const hostConfig = isObject(response.HostConfig) ? response.HostConfig : {};
  const labels = isObject(config.Labels) ? config.Labels : {};
  const network = isObject(response.NetworkSettings) ? response.NetworkSettings : {};
  const status = stateOf(state.Status);
  const health = isObject(state.Health)
    ? state.Health.Status
    : isObject(state.Healthcheck)
      ? state.Healthcheck.Status
      : null;
  const pid = numberIn(state.Pid);
  return {
    id: response.Id,
    name: textIn(response.Name, 256)?.replace(/^\//, '') || response.Id.slice(0, 12),
    image: textIn(config.Image, 512) ?? textIn(response.Image, 512) ?? '',
    state: status,
    /** null: no health check. */
    health: healthStates.find((known) => known === health) ?? null,
    /** null: not running. */
    pid: pid !== null && pid > 1 && pid < 2 ** 31 ? pid : null,
    created: timeIn(response.Created),
    started: timeIn(state.StartedAt),
    finished: timeIn(state.FinishedAt),
    exitCode: numberIn(state.ExitCode),
    oom: state.OOMKilled === true,
    restarts: numberIn(response.RestartCount),
    /** Whether it has its own network namespace. */
    ownNetwork: !/^(?:host$|container:|ns:)/.test(String(hostConfig.NetworkMode ?? '')),
    ports: portsIn(network.Ports),
    project: textIn(labels['com.docker.compose.project'], 256) ?? textIn(labels['io.podman.compose.project'], 256),
    service: textIn(labels['com.docker.compose.service'], 256) ?? textIn(labels['io.podman.compose.service'], 256),
    /** Then its output is not framed. */
    hasTerminal: config.Tty === true,
  };
}

/** Podman has more states for what Docker calls created and exited. */
function stateOf(status: unknown): ContainerEntry['state'] {
  const word = String(status ?? '').toLowerCase();
  if (word === 'configured' || word === 'initialized') return 'created';
  if (word === 'stopped') return 'exited';
  return containerStates.find((known) => known === word) ?? 'unknown';
}

function portsIn(ports: unknown): ContainerEntry['ports'] {
  if (!isObject(ports)) return [];
  const found: ContainerEntry['ports'] = [];
  for (const [inside, bindings] of Object.entries(ports)) {
    const [, port, protocol = ''] = /^(\d{1,5})\/(tcp|udp|sctp)$/.exec(inside) ?? [];
    if (port === undefined || !Array.isArray(bindings)) continue;
    for (const binding of bindings) {
      const hostPort = isObject(binding) ? Number(binding.HostPort) : Number.NaN;
      if (!isObject(binding) || !Number.isInteger(hostPort) || hostPort < 1 || hostPort > 65_535) continue;
      if (found.length >= mostPorts) return found;
      found.push({
        container_port: Number(port),
        protocol,
        host_address: textIn(binding.HostIp, 64) ?? '',
        host_port: hostPort,
      });
    }
  }
  return found;
}

/** null: an event that changes no field of a container. */
export function parseContainerEvent(
  line: string,
): { id: string; action: string; name: string; exitCode: number | null } | null {
  let event: unknown;
  try {
    event = JSON.parse(line);
  } catch {
    return null;
  }
  if (!isObject(event) || (event.Type !== undefined && event.Type !== 'container')) return null;
  const actor = isObject(event.Actor) ? event.Actor : {};
  const attributes = isObject(actor.Attributes) ? actor.Attributes : {};
  const id = actor.ID ?? event.id;
  const action = String(event.Action ?? event.status ?? '');
  if (!isContainerId(id) || !changing.test(action)) return null;
  const code = attributes.exitCode ?? attributes.containerExitCode;
  return {
    id,
    action: action.replace(/:.*/s, ''),
    name: textIn(attributes.name, 256) ?? id.slice(0, 12),
    exitCode: code === undefined || code === '' ? null : numberIn(Number(code)),
  };
}

/** Without the events of `exec`, of which every health check causes three. Podman has its own names for some. */
export const changingEvents = [
  'create',
  'init',
  'start',
  'restart',
  'stop',
  'die',
  'died',
  'oom',
  'pause',
  'unpause',
  'rename',
  'update',
  'destroy',
  'remove',
  'cleanup',
  'health_status',
] as const;

const changing = new RegExp(`^(?:${changingEvents.join('|')})(?:$|:)`);

/** The path that streams these events. */
export const eventsOf = (events: readonly string[]) =>
  `/events?filters=${encodeURIComponent(JSON.stringify({ type: ['container'], event: events }))}`;

const textIn = (value: unknown, longest: number) => {
  const text = typeof value === 'string' ? foreignText(value, longest) : '';
  return text === '' ? null : text;
};

const numberIn = (value: unknown) => (typeof value === 'number' && Number.isSafeInteger(value) ? value : null);

/** Engines use the year 1 for never. */
function timeIn(value: unknown): number | null {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isFinite(ms) && ms > 0 ? Math.floor(ms / 1000) : null;
}

/** Control characters and bidirectional overrides. */
const harmful = /[\p{Cc}\p{Cs}\u200e\u200f\u061c\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Makes untrusted text safe to print: short, on one line, without control characters. */
export function foreignText(text: string, longest: number): string {
  return text.slice(0, longest).replace(harmful, '\ufffd').trim();
}
