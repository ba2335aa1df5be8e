import { address, addressOf, pinned } from '../../../host/ffi.ts';
import { defineLibrary } from '../../../host/native-library.ts';
import { slot, textAt, wide } from '../../../host/windows/native/memory.ts';
import { offsetIn, readStruct, readStructs, type StructBlock, wideText } from '../../../host/windows/native/structs.ts';
import { win32 } from '../../../host/windows/native/win32.ts';
import {
  ENUM_SERVICE_STATUS_PROCESSW,
  ENUM_SERVICE_STATUSW,
  QUERY_SERVICE_CONFIGW,
  SERVICE_STATUS_PROCESS,
} from './scm.structs.ts';

export interface ServiceState {
  /** 1 stopped, 2 starting, 3 stopping, 4 running, 5 continuing, 6 pausing, 7 paused. */
  state: number;
  /** Why it stopped; 1066: see `specificCode`; 1077: it has not been started. */
  exitCode: number;
  specificCode: number;
  /** 0: no process. */
  pid: number;
  /** A bit for each control that it accepts now; 1: stop. */
  accepts: number;
}

export interface ListedService extends Omit<ServiceState, 'accepts'> {
  name: string;
  title: string;
  /** Bits: 0x40 per-user service, 0x80 instance of one. */
  type: number;
}

const { CONNECT, ENUMERATE } = { CONNECT: 1, ENUMERATE: 4 };
const QUERY_CONFIG = 1;
const CHANGE_CONFIG = 2;
const QUERY_STATUS = 4;
const DEPENDENTS = 8;
const START = 16;
const STOP = 32;
const WIN32_SERVICES = 0x30;
const STATE_ALL = 3;
const STATE_ACTIVE = 1;
const CONTROL_STOP = 1;
const NO_CHANGE = 0xffffffff;
/** The largest buffers that Windows accepts. */
const { LIST_BYTES, CONFIG_BYTES } = { LIST_BYTES: 262_144, CONFIG_BYTES: 8192 };
/** Calls of EnumServicesStatusExW, each with a full buffer: no machine has as many services. */
const mostAnswers = 64;

export const scmLibrary = defineLibrary('scm', openScm);

/** The service control manager, in advapi32.dll. A number in place of a result is an error code of Windows, such as 5: access denied. */
function openScm() {
  const manager = openManager();
  const list = () => listServices(manager);
  return {
    /** All services except drivers; null: the manager refuses. */
    list,
    /** Changes with the state of any service. */
    stamp: () =>
      (list() ?? []).map(({ name, state, exitCode, pid }) => `${name} ${state} ${exitCode} ${pid}`).join('\n'),
    /** 2 automatic, 3 manual, 4 disabled; null: unknown. */
    startTypes: (names: string[]) => readStartTypes(manager, names),
    status: (name: string) => readStatus(manager, name),
    /** Names of running services that depend on this one. */
    runningDependents: (name: string) => readRunningDependents(manager, name),
    /** Returns when the service has begun to start; 0: success. */
    start: (name: string) =>
      manager.withService(name, START, (service) => manager.result(win32.StartServiceW(service, 0, 0))),
    stop: (name: string) =>
      manager.withService(name, STOP, (service) => {
        const status = pinned(SERVICE_STATUS_PROCESS.size);
        return manager.result(win32.ControlService(service, CONTROL_STOP, address(status)));
      }),
    setStartType: (name: string, type: number) =>
      manager.withService(name, CHANGE_CONFIG, (service) => {
        const change = win32.ChangeServiceConfigW;
        return manager.result(change(service, NO_CHANGE, type, NO_CHANGE, 0, 0, 0, 0, 0, 0, 0));
      }),
  };
}

type Manager = ReturnType<typeof openManager>;

/** Handles of the manager and its services. A number in place of a result is an error code. */
function openManager() {
  // Bound before the calls: binding changes the last error.
  const { GetLastError } = win32;
  /** Call it right after a call that failed. Never 0, which means success. */
  const failure = () => GetLastError() || 31;

  const use = <T>(handle: bigint, work: (handle: bigint) => T): T | number => {
    if (handle === 0n) return failure();
    try {
      return work(handle);
    } finally {
      win32.CloseServiceHandle(handle);
    }
  };
  const withManager = <T>(access: number, work: (manager: bigint) => T) =>
    use(BigInt(win32.OpenSCManagerW(0, 0, access)), work);
  const inService = <T>(manager: bigint, name: string, access: number, work: (service: bigint) => T) =>
    use(BigInt(win32.OpenServiceW(manager, wide(name), access)), work);
  return {
    failure,
    /** 0 or an error code, of a function that returns 0 on failure. */
    result: (succeeded: number) => (succeeded === 0 ? failure() : 0),
    withManager,
    inService,
    withService: <T>(name: string, access: number, work: (service: bigint) => T) =>
      withManager(CONNECT, (manager) => inService(manager, name, access, work)),
  };
}

function listServices({ withManager }: Manager): ListedService[] | null {
  const found: ListedService[] = [];
  const bytes = pinned(LIST_BYTES);
  const next = slot();
  const listed = withManager(CONNECT | ENUMERATE, (manager) => {
    for (let answers = 0; answers < mostAnswers; answers += 1) {
      const [needed, count] = [slot(), slot()];
      const places = [address(bytes), bytes.length, needed.place, count.place, next.place] as const;
      const isWhole = win32.EnumServicesStatusExW(manager, 0, WIN32_SERVICES, STATE_ALL, ...places, 0);
      found.push(...parseServiceList({ at: addressOf(bytes), bytes }, count.u32()));
      if (isWhole !== 0) return true;
      // The next call continues, unless this one failed.
      if (count.u32() === 0) return false;
    }
    return true;
  });
  return listed === true ? found : null;
}

function readStartTypes({ withManager, inService }: Manager, names: string[]): (number | null)[] {
  const bytes = pinned(CONFIG_BYTES);
  const query = (service: bigint) =>
    win32.QueryServiceConfigW(service, address(bytes), bytes.length, slot().place) === 0
      ? null
      : { type: readStruct(QUERY_SERVICE_CONFIGW, bytes).dwStartType };
  const types = withManager(CONNECT, (manager) =>
    names.map((name) => {
      const config = inService(manager, name, QUERY_CONFIG, query);
      return typeof config === 'number' ? null : (config?.type ?? null);
    }),
  );
  return typeof types === 'number' ? names.map(() => null) : types;
}

function readStatus({ failure, withService }: Manager, name: string): ServiceState | number {
  return withService(name, QUERY_STATUS, (service) => {
    const bytes = pinned(SERVICE_STATUS_PROCESS.size);
    const succeeded = win32.QueryServiceStatusEx(service, 0, address(bytes), bytes.length, slot().place);
    if (succeeded === 0) return failure();
    const status = readStruct(SERVICE_STATUS_PROCESS, bytes);
    return {
      state: status.dwCurrentState,
      exitCode: status.dwWin32ExitCode,
      specificCode: status.dwServiceSpecificExitCode,
      pid: status.dwProcessId,
      accepts: status.dwControlsAccepted,
    };
  });
}

function readRunningDependents({ withService }: Manager, name: string): string[] {
  const names = withService(name, DEPENDENTS, (service) => {
    const bytes = pinned(LIST_BYTES);
    const [needed, count] = [slot(), slot()];
    const counted = [needed.place, count.place] as const;
    const succeeded = win32.EnumDependentServicesW(service, STATE_ACTIVE, address(bytes), bytes.length, ...counted);
    const block = { at: addressOf(bytes), bytes };
    return succeeded === 0
      ? []
      : readStructs(ENUM_SERVICE_STATUSW, bytes, count.u32()).map(({ lpServiceName }) => textIn(block, lpServiceName));
  });
  return typeof names === 'number' ? [] : names;
}

/** `count` entries of ENUM_SERVICE_STATUS_PROCESSW, followed by their texts. */
export function parseServiceList(block: StructBlock, count: number): ListedService[] {
  return readStructs(ENUM_SERVICE_STATUS_PROCESSW, block.bytes, count).map((entry) => ({
    name: textIn(block, entry.lpServiceName),
    title: textIn(block, entry.lpDisplayName),
    type: entry['ServiceStatusProcess.dwServiceType'],
    state: entry['ServiceStatusProcess.dwCurrentState'],
    exitCode: entry['ServiceStatusProcess.dwWin32ExitCode'],
    specificCode: entry['ServiceStatusProcess.dwServiceSpecificExitCode'],
    pid: entry['ServiceStatusProcess.dwProcessId'],
  }));
}

function textIn(block: StructBlock, pointer: number): string {
  const at = offsetIn(block, pointer);
  if (at !== null) return wideText(block.bytes, at);
  return pointer === 0 ? '' : textAt(pointer, 256);
}
