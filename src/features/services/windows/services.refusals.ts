import { ServiceError } from '../../../lib/errors.ts';
import type { ServiceVerb } from '../services.schema.ts';

type Sentence = readonly [code: ServiceError['code'], text: (name: string, verb: ServiceVerb, user: string) => string];

/** By the numbers of Windows. https://learn.microsoft.com/windows/win32/debug/system-error-codes--1000-1299- */
const sentences: Partial<Record<number, Sentence>> = {
  2: ['failed', (name) => `${name} could not be started: its program does not exist`],
  3: ['failed', (name) => `${name} could not be started: its program does not exist`],
  5: [
    'forbidden',
    (name, verb, user) =>
      `Windows does not let ${user} ${verb} ${name}. Start Hostler as an administrator, or let an administrator give ${user} the right to ${verb} this service (sc.exe sdset ${quoted(name)})`,
  ],
  123: ['invalid', (name) => `${JSON.stringify(name)} is not a name that a service can have`],
  1051: ['conflict', (name) => `${name} was not stopped, because running services depend on it`],
  1052: ['conflict', (name, verb) => `${name} does not accept the request to ${verb}`],
  1053: ['failed', (name) => `${name} did not answer in time`],
  1055: [
    'conflict',
    (name, verb) => `Windows does not ${verb} ${name} now, because its list of services is being changed; try again`,
  ],
  1056: ['conflict', (name) => `${name} runs already`],
  1058: ['conflict', (name) => `${name} is disabled, or the device that it needs does not exist`],
  1060: ['not_found', (name) => `There is no service ${name} on this machine`],
  1061: ['conflict', (name) => `${name} accepts no requests now, because it is being started or stopped; try again`],
  1062: ['conflict', (name) => `${name} does not run`],
  1067: ['failed', (name) => `${name} ended unexpectedly`],
  1068: ['failed', (name) => `${name} could not be started: a service that it needs failed`],
  1069: ['failed', (name) => `${name} could not be started: its account could not log in`],
  1072: ['conflict', (name) => `${name} is about to be removed`],
  1075: ['failed', (name) => `${name} could not be started: a service that it needs does not exist`],
};

const quoted = (name: string) => (name.includes(' ') ? `"${name}"` : name);

/** The error of the service control manager as a message. */
export function refusedByManager(code: number, name: string, verb: ServiceVerb, user: string): ServiceError {
  const [kind, text] = sentences[code] ?? ['failed', () => `Windows refuses to ${verb} ${name}: error ${code}`];
  return new ServiceError(kind, text(name, verb, user));
}
