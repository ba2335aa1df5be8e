import type { Scope } from '../../src/access/scopes.ts';
import { whereItBreaks } from '../../src/lib/field-path.ts';

/** Everyday requests to an agent, and the calls that answer them. */
export interface EverydayRequest {
  asked: string;
  calls: readonly [tool: string, given: Record<string, unknown>][];
  /** Where the answer is, as dot paths into the result of the last call; none for requests that act. */
  found?: readonly string[];
  /** Scopes that the user has to grant first. */
  scope?: Scope;
}

/** The assumed bytes per token, rounded up. Real tokenisers need fewer tokens (see bench/README.md). */
export const bytesPerToken = 3.5;
export const requestLimits = { calls: 2, answerTokens: 1500, definitionTokens: 2000 };
/** The default scopes of `hostler mcp config`. */
export const usualScopes: readonly Scope[] = ['read', 'media', 'notify', 'chat', 'control'];

export const bytesOf = (value: unknown) =>
  Buffer.byteLength(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
export const tokensOf = (value: unknown) => Math.ceil(bytesOf(value) / bytesPerToken);

/** What an agent reads of a tool before it calls it. */
export const definitionOf = ({ name, description, inputSchema }: ToolWords) => ({ name, description, inputSchema });
interface ToolWords {
  name: string;
  description?: string | undefined;
  inputSchema: unknown;
}

/** The paths that do not exist; an empty list, or null, is an answer as well. */
export const missingIn = (answer: unknown, paths: readonly string[]) =>
  paths.filter((path) => whereItBreaks(answer, path) !== null);

const overview = ['get_overview', {}] satisfies [string, object];
const module = (name: string, ...fields: string[]): [string, Record<string, unknown>] => [
  'get_module',
  { module: name, ...(fields.length === 0 ? {} : { fields }) },
];

export const everydayRequests: readonly EverydayRequest[] = [
  { asked: 'Is the disk full?', calls: [overview], found: ['disks.used_percent', 'disks.free_gb'] },
  {
    asked: 'Why is it slow?',
    calls: [overview, ['list_processes', { sort_by: 'cpu', limit: 10 }]],
    found: ['processes.cpu'],
  },
  { asked: 'Is everything all right?', calls: [overview], found: ['warnings', 'unavailable.reason'] },
  { asked: 'Has a service failed?', calls: [overview], found: ['failed_units'] },
  { asked: 'Does it have to be restarted for an update?', calls: [overview], found: ['pending_reboot'] },
  { asked: 'How long has it been running?', calls: [overview], found: ['uptime_s'] },
  { asked: 'How much memory is free?', calls: [overview], found: ['memory.available_gb'] },
  { asked: 'Is it swapping?', calls: [module('memory')], found: ['data.swap.percent', 'data.swap.sin'] },
  { asked: 'What uses the memory?', calls: [['list_processes', { sort_by: 'memory' }]], found: ['processes.memory'] },
  { asked: 'What is busy right now?', calls: [module('processes')], found: ['data.name', 'data.cpu_usage'] },
  {
    asked: 'Is Firefox running?',
    calls: [['list_processes', { name_contains: 'firefox' }]],
    found: ['matched', 'processes.pid'],
  },
  {
    asked: 'How many processes does root have?',
    calls: [['list_processes', { username: 'root', limit: 1 }]],
    found: ['matched', 'total'],
  },
  {
    asked: 'What was started last, and from where?',
    calls: [['list_processes', { sort_by: 'started', limit: 5, detail: 'full' }]],
    found: ['processes.started', 'processes.path'],
  },
  { asked: 'How busy is each core?', calls: [module('cpu', 'per_cpu.usage')], found: ['data.per_cpu.usage'] },
  { asked: 'Which processor is in it?', calls: [module('cpu', 'name', 'count')], found: ['data.name', 'data.count'] },
  { asked: 'How hot is it, and do the fans turn?', calls: [module('sensors')], found: ['data.temperatures'] },
  { asked: 'How long will the battery last?', calls: [module('battery')], found: ['data.time_remaining'] },
  { asked: 'Which graphics card is in it?', calls: [module('gpus', 'name', 'memory_total')], found: ['data.name'] },
  {
    asked: 'Which screens are connected?',
    calls: [module('displays', 'name', 'width', 'height', 'refresh_rate')],
    found: ['data.name'],
  },
  { asked: 'Where does the sound come out?', calls: [module('audio', 'default_sink', 'sinks')], found: ['data.sinks'] },
  {
    asked: 'What is my address?',
    calls: [module('system', 'ip_address_4', 'ip_address_6', 'hostname')],
    found: ['data.ip_address_4'],
  },
  {
    asked: 'Is a program using the camera or the microphone?',
    calls: [module('system', 'camera_usage', 'microphone_usage')],
    found: ['data.camera_usage', 'data.microphone_usage'],
  },
  { asked: 'Who is logged in?', calls: [module('system', 'users')], found: ['data.users'] },
  {
    asked: 'Who is connected to port 22?',
    calls: [['list_connections', { port: 22, status: 'ESTABLISHED' }]],
    found: ['matched', 'connections.remote'],
  },
  {
    asked: 'Which program has port 8080?',
    calls: [['list_connections', { port: 8080, status: 'LISTEN' }]],
    found: ['connections.process'],
  },
  {
    asked: 'What can be reached from outside?',
    calls: [['list_connections', { status: 'LISTEN' }]],
    found: ['connections.local', 'connections.process'],
  },
  { asked: 'Which network interfaces are there?', calls: [module('networks')], found: ['data.networks.name'] },
  {
    asked: 'How much was sent and received?',
    calls: [module('networks', 'networks.name', 'networks.io')],
    found: ['data.networks.io'],
  },
  {
    asked: 'Which drives are there, and how large are they?',
    calls: [module('disks', 'devices.name', 'devices.partitions.mount_point', 'devices.partitions.usage')],
    found: ['data.devices.partitions.usage'],
  },
  { asked: 'What happened at three?', calls: [['what_happened', { at: '03:00' }]], found: ['series', 'events'] },
  {
    asked: 'Was it busier than usual in the last hour?',
    calls: [['what_happened', { minutes: 60, series: ['cpu'] }]],
    found: ['series.usual', 'processes'],
  },
  {
    asked: 'Let me know when it is done computing.',
    calls: [['wait_for', { module: 'cpu', field: 'usage', op: 'lt', value: 101, timeout_seconds: 5 }]],
    found: ['met', 'value'],
  },
  { asked: 'What is playing?', calls: [module('media', 'title', 'artist', 'status')], found: ['data.title'] },
  { asked: 'Pause the music.', calls: [['control_media', { action: 'pause' }]] },
  { asked: 'Set the volume to 30.', calls: [['control_media', { action: 'volume', value: 30 }]] },
  { asked: 'Lock the screen.', calls: [['lock_session', {}]] },
  {
    asked: 'Remind me on the screen that dinner is ready.',
    calls: [['send_notification', { title: 'Dinner', message: 'It is ready.' }]],
  },
  {
    asked: 'Put it to sleep at eleven.',
    calls: [['power_action', { action: 'sleep', at: '23:00' }]],
    scope: 'power',
  },
  {
    asked: 'Restart it in half an hour.',
    calls: [['power_action', { action: 'restart', delay_seconds: 1800, reason: 'You asked for it' }]],
    scope: 'power',
  },
  { asked: 'No, leave it on.', calls: [['cancel_power', {}]] },
];
