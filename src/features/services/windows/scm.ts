import { address, addressOf, pinned } from '../../../host/ffi.ts';
import { defineLibrary } from '../../../host/native-library.ts';
import { systemLibrary } from '../../../host/windows/native/library.ts';
import { slot, textAt, wide } from '../../../host/windows/native/memory.ts';
import { offsetIn, readStruct, type StructBlock, wideText } from '../../../host/windows/native/structs.ts';
import {
  ENUM_SERVICE_STATUS_PROCESSW,
  ENUM_SERVICE_STATUSW,
  QUERY_SERVICE_CONFIGW,
  SERVICE_STATUS_PROCESS,
} from './scm.structs.ts';

/** The service control manager, in advapi32.dll. Where a number stands for a failure, it is that of Windows, such as 5: access denied. */
export interface Scm {
  /** All services that are programs, without drivers; null: the manager does not tell. */
  list(): ListedService[] | null;
  /** Changes whenever the state of a service does. */
  stamp(): string;
  /** How each of these is started: 2 with the machine, 3 when somebody asks, 4 never; null: unknown. */
  startTypes(names: string[]): (number | null)[];
  status(name: string): ServiceState | number;
  /** Names of services that run and need this one. */
  runningDependents(name: string): string[];
  /** Comes back when the service has begun to start; 0: it has. */
  start(name: string): number;
  stop(name: string): number;
  setStartType(name: string, type: number): number;
}

export interface ServiceState {
  /** 1 stopped, 2 starting, 3 stopping, 4 running, 5 continuing, 6 pausing, 7 paused. */
  state: number;
  /** Why it stopped; 1066: as `specificCode` says; 1077: it has not been started. */
  exitCode: number;
  specificCode: number;
  /** 0: none. */
  pid: number;
  /** A bit for each order that it takes now; 1: to stop. */
  accepts: number;
}

export interface ListedService extends Omit<ServiceState, 'accepts'> {
  name: string;
  title: string;
  /** Bits: 0x40 of a user, 0x80 for one login of them. */
  type: number;
}

const { CONNECT, ENUMERATE } = { CONNECT: 1, ENUMERATE: 4 };
const { QUERY_CONFIG, CHANGE_CONFIG, QUERY_STATUS, DEPENDENTS, START, STOP } = {
  QUERY_CONFIG: 1,
  CHANGE_CONFIG: 2,
  QUERY_STATUS: 4,
  DEPENDENTS: 8,
  START: 16,
  STOP: 32,
};
const { WIN32_SERVICES, STATE_ALL, STATE_ACTIVE, CONTROL_STOP } = {
  WIN32_SERVICES: 0x30,
  STATE_ALL: 3,
  STATE_ACTIVE: 1,
  CONTROL_STOP: 1,
};
const NO_CHANGE = 0xffffffff;
/** The most that Windows takes for one answer. */
const { LIST_BYTES, CONFIG_BYTES } = { LIST_BYTES: 262_144, CONFIG_BYTES: 8192 };
/** Each is an answer of a quarter of a megabyte: no machine has as many services. */
const mostAnswers = 64;

export const scmLibrary = defineLibrary('scm', openScm);

export function openScm(): Scm {
  const functions = systemLibrary('advapi32.dll', {
    OpenSCManagerW: { args: ['u64', 'u64', 'u32'], returns: 'u64' },
    OpenServiceW: { args: ['u64', 'ptr', 'u32'], returns: 'u64' },
    CloseServiceHandle: { args: ['u64'], returns: 'i32' },
    EnumServicesStatusExW: {
      args: ['u64', 'u32', 'u32', 'u32', 'ptr', 'u32', 'ptr', 'ptr', 'ptr', 'u64'],
      returns: 'i32',
    },
    EnumDependentServicesW: { args: ['u64', 'u32', 'ptr', 'u32', 'ptr', 'ptr'], returns: 'i32' },
    QueryServiceConfigW: { args: ['u64', 'ptr', 'u32', 'ptr'], returns: 'i32' },
    QueryServiceStatusEx: { args: ['u64', 'u32', 'ptr', 'u32', 'ptr'], returns: 'i32' },
    StartServiceW: { args: ['u64', 'u32', 'u64'], returns: 'i32' },
    ControlService: { args: ['u64', 'u32', 'ptr'], returns: 'i32' },
    ChangeServiceConfigW: {
      args: ['u64', 'u32', 'u32', 'u32', 'u64', 'u64', 'u64', 'u64', 'u64', 'u64', 'u64'],
      returns: 'i32',
    },
  });
  const { GetLastError } = systemLibrary('kernel32.dll', { GetLastError: { args: [], returns: 'u32' } });
  /** Right after a call that failed. Never 0, which stands for success. */
  const failure = () => GetLastError() || 31;

  const withManager = <T>(access: number, use: (manager: bigint) => T): T | number => {
    const manager = BigInt(functions.OpenSCManagerW(0, 0, access));
    if (manager === 0n) return failure();
    try {
      return use(manager);
    } finally {
      functions.CloseServiceHandle(manager);
    }
  };
  const inService = <T>(manager: bigint, name: string, access: number, use: (service: bigint) => T): T | number => {
    const service = BigInt(functions.OpenServiceW(manager, wide(name), access));
    if (service === 0n) return failure();
    try {
      return use(service);
    } finally {
      functions.CloseServiceHandle(service);
    }
  };
  const withService = <T>(name: string, access: number, use: (service: bigint) => T) =>
    withManager(CONNECT, (manager) => inService(manager, name, access, use));

  const list = (): ListedService[] | null => {
    const found: ListedService[] = [];
    const bytes = pinned(LIST_BYTES);
    const next = slot();
    const listed = withManager(CONNECT | ENUMERATE, (manager) => {
      for (let answers = 0; answers < mostAnswers; answers += 1) {
        const [needed, count] = [slot(), slot()];
        const isWhole = functions.EnumServicesStatusExW(
          manager,
          0,
          WIN32_SERVICES,
          STATE_ALL,
          address(bytes),
          bytes.length,
          needed.place,
          count.place,
          next.place,
          0,
        );
        found.push(...parseServiceList({ at: addressOf(bytes), bytes }, count.u32()));
        if (isWhole !== 0) return true;
        // The rest follows, if there was anything.
        if (count.u32() === 0) return false;
      }
      return true;
    });
    return listed === true ? found : null;
  };

  return {
    list,
    stamp: () =>
      (list() ?? []).map(({ name, state, exitCode, pid }) => `${name} ${state} ${exitCode} ${pid}`).join('\n'),
    startTypes(names) {
      const bytes = pinned(CONFIG_BYTES);
      const query = (service: bigint) =>
        functions.QueryServiceConfigW(service, address(bytes), bytes.length, slot().place) === 0
          ? null
          : { type: readStruct(QUERY_SERVICE_CONFIGW, bytes).dwStartType };
      const types = withManager(CONNECT, (manager) =>
        names.map((name) => {
          const told = inService(manager, name, QUERY_CONFIG, query);
          return typeof told === 'number' ? null : (told?.type ?? null);
        }),
      );
      return typeof types === 'number' ? names.map(() => null) : types;
    },
    status: (name) =>
      withService(name, QUERY_STATUS, (service) => {
        const bytes = pinned(SERVICE_STATUS_PROCESS.size);
        const told = functions.QueryServiceStatusEx(service, 0, address(bytes), bytes.length, slot().place);
        if (told === 0) return failure();
        const status = readStruct(SERVICE_STATUS_PROCESS, bytes);
        return {
          state: status.dwCurrentState,
          exitCode: status.dwWin32ExitCode,
          specificCode: status.dwServiceSpecificExitCode,
          pid: status.dwProcessId,
          accepts: status.dwControlsAccepted,
        };
      }),
    runningDependents(name) {
      const names = withService(name, DEPENDENTS, (service) => {
        const bytes = pinned(LIST_BYTES);
        const [needed, count] = [slot(), slot()];
        const counted = [needed.place, count.place] as const;
        const told = functions.EnumDependentServicesW(service, STATE_ACTIVE, address(bytes), bytes.length, ...counted);
        const block = { at: addressOf(bytes), bytes };
        return told === 0
          ? []
          : Array.from({ length: count.u32() }, (_, index) => {
              const at = index * ENUM_SERVICE_STATUSW.size;
              return textIn(block, readStruct(ENUM_SERVICE_STATUSW, bytes, at).lpServiceName);
            });
      });
      return typeof names === 'number' ? [] : names;
    },
    start: (name) =>
      withService(name, START, (service) => (functions.StartServiceW(service, 0, 0) === 0 ? failure() : 0)),
    stop: (name) =>
      withService(name, STOP, (service) => {
        const status = pinned(SERVICE_STATUS_PROCESS.size);
        return functions.ControlService(service, CONTROL_STOP, address(status)) === 0 ? failure() : 0;
      }),
    setStartType: (name, type) =>
      withService(name, CHANGE_CONFIG, (service) => {
        const change = functions.ChangeServiceConfigW;
        return change(service, NO_CHANGE, type, NO_CHANGE, 0, 0, 0, 0, 0, 0, 0) === 0 ? failure() : 0;
      }),
  };
}

/** `count` of ENUM_SERVICE_STATUS_PROCESSW, whose texts lie behind them. */
export function parseServiceList(block: StructBlock, count: number): ListedService[] {
  return Array.from({ length: count }, (_, index) => {
    const entry = readStruct(ENUM_SERVICE_STATUS_PROCESSW, block.bytes, index * ENUM_SERVICE_STATUS_PROCESSW.size);
    return {
      name: textIn(block, entry.lpServiceName),
      title: textIn(block, entry.lpDisplayName),
      type: entry['ServiceStatusProcess.dwServiceType'],
      state: entry['ServiceStatusProcess.dwCurrentState'],
      exitCode: entry['ServiceStatusProcess.dwWin32ExitCode'],
      specificCode: entry['ServiceStatusProcess.dwServiceSpecificExitCode'],
      pid: entry['ServiceStatusProcess.dwProcessId'],
    };
  });
}

function textIn(block: StructBlock, pointer: number): string {
  const at = offsetIn(block, pointer);
  if (at !== null) return wideText(block.bytes, at);
  return pointer === 0 ? '' : textAt(pointer, 256);
}
