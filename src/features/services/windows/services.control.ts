import type { WindowsHost } from '../../../host/windows/windows-host.ts';
import { sleep } from '../../../lib/clock.ts';
import { messageOf, ServiceError } from '../../../lib/errors.ts';
import type { ServiceControl } from '../services.contract.ts';
import type { ServiceVerb } from '../services.schema.ts';
import type { ServiceState } from './scm.ts';
import { scmLibrary } from './scm.ts';
import { enabledWords, serviceStateWords } from './service-states.ts';
import { refusedByManager } from './services.refusals.ts';

const STOPPED = 1;
const STARTING = 2;
const STOPPING = 3;
const RUNNING = 4;
const CONTINUING = 5;
const PAUSING = 6;
const pending: readonly number[] = [STARTING, STOPPING, CONTINUING, PAUSING];
const { AUTOMATIC, MANUAL, DISABLED } = { AUTOMATIC: 2, MANUAL: 3, DISABLED: 4 };
const ACCEPTS_STOP = 1;
const { ALREADY_RUNNING, NOT_ACTIVE } = { ALREADY_RUNNING: 1056, NOT_ACTIVE: 1062 };
/** After this time the response says that the service is still changing. */
const settlesWithinMs = 25_000;
const pollEveryMs = 250;
const mostNames = 10;

/** The service control manager. Services that are to start with Windows are "automatic", the others "manual". */
export const serviceControlWindows = (
  host: Pick<WindowsHost, 'nativeElsewhere' | 'clock' | 'environment'>,
): ServiceControl => {
  const scm = host.nativeElsewhere(scmLibrary);
  const { clock, environment } = host;
  const refuse = (code: number, name: string, verb: ServiceVerb) => {
    throw refusedByManager(code, name, verb, environment.userName);
  };

  const query = async (name: string, verb: ServiceVerb): Promise<ServiceState> => {
    const status = await scm.status(name);
    return typeof status === 'number' ? refuse(status, name, verb) : status;
  };
  /** The state when it is no longer pending, or after a timeout. */
  const settled = async (name: string, verb: ServiceVerb): Promise<ServiceState> => {
    const until = clock.monotonic() + settlesWithinMs;
    for (;;) {
      const status = await query(name, verb);
      if (!pending.includes(status.state) || clock.monotonic() >= until) return status;
      await sleep(clock, pollEveryMs);
    }
  };
  const stop = async (name: string, verb: ServiceVerb): Promise<ServiceState> => {
    const before = await query(name, verb);
    if (before.state === STOPPED) return before;
    const others = await scm.runningDependents(name);
    if (others.length > 0)
      throw new ServiceError(
        'conflict',
        `${name} was not stopped, because running services depend on it: ${others.slice(0, mostNames).join(', ')}${others.length > mostNames ? ' …' : ''}. Stop those first`,
      );
    if (before.state === RUNNING && (before.accepts & ACCEPTS_STOP) === 0)
      throw new ServiceError('conflict', `${name} cannot be stopped`);
    const code = before.state === STOPPING ? 0 : await scm.stop(name);
    if (code !== 0 && code !== NOT_ACTIVE) refuse(code, name, verb);
    return await settled(name, verb);
  };
  const start = async (name: string, verb: ServiceVerb): Promise<ServiceState> => {
    const before = await query(name, verb);
    if (before.state === RUNNING) return before;
    const [type] = await scm.startTypes([name]);
    if (type === DISABLED)
      throw new ServiceError('conflict', `${name} is disabled and cannot be started; enable it first`);
    const code = await scm.start(name);
    if (code !== 0 && code !== ALREADY_RUNNING) refuse(code, name, verb);
    const after = await settled(name, verb);
    const words = serviceStateWords(after);
    if (words.active_state === 'failed')
      throw new ServiceError('failed', `${name} was started and stopped right away with ${words.sub_state}`);
    return after;
  };
  const setType = async (name: string, verb: 'enable' | 'disable') => {
    await query(name, verb);
    const wanted = verb === 'enable' ? AUTOMATIC : MANUAL;
    const [type] = await scm.startTypes([name]);
    // A disabled service stays disabled.
    const isDone = type === wanted || (verb === 'disable' && type === DISABLED);
    const code = isDone ? 0 : await scm.setStartType(name, wanted);
    if (code !== 0) refuse(code, name, verb);
    const [after] = await scm.startTypes([name]);
    if ((after === AUTOMATIC) !== (verb === 'enable'))
      throw new ServiceError(
        'failed',
        `Windows accepted the request to ${verb} ${name}, but its start type did not change`,
      );
    return { active_state: null, sub_state: null, enabled: enabledWords[after ?? 0] ?? null, done: true };
  };

  return {
    unavailable: () => null,
    nameProblem: (unit) =>
      windowsName.test(unit) ? null : 'must be the name of a service, such as Spooler, not its title',
    async order({ name, scope }, verb) {
      if (scope === 'user') throw new ServiceError('not_found', 'Windows has no service manager for single users');
      try {
        if (verb === 'enable' || verb === 'disable') return await setType(name, verb);
        if (verb === 'restart') {
          const stopped = await stop(name, verb);
          if (stopped.state !== STOPPED) return answer(stopped);
        }
        return answer(verb === 'stop' ? await stop(name, verb) : await start(name, verb));
      } catch (error) {
        if (error instanceof ServiceError) throw error;
        throw new ServiceError(
          'failed',
          `The service control manager did not answer, so whether it will ${verb} ${name} is not known: ${messageOf(error)}`,
          { cause: error },
        );
      }
    },
    logs: async ({ name }) => {
      throw new ServiceError(
        'unsupported',
        `Windows keeps no log of single services; what ${name} reports is in the Event Viewer`,
      );
    },
  };
};

/** What Windows accepts, without path separators and without the prefix `user:`. */
const windowsName = /^[A-Za-z0-9_][A-Za-z0-9 _.$()+&#-]{0,255}(?<! )$/;

const answer = (status: ServiceState) => ({
  ...serviceStateWords(status),
  enabled: null,
  done: !pending.includes(status.state),
});
