import type { Files } from '../../../host/linux/files.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { failedFirst, hasFailed } from '../services.payload.ts';
import type { ServiceUnit } from '../services.schema.ts';
import type { CgroupUsage } from './cgroup-usage.ts';

/** OpenRC has a directory with links for each state below /run. https://github.com/OpenRC/openrc/blob/master/src/librc/rc.h.in */
const run = '/run/openrc';
const scripts = '/etc/init.d';
const runlevels = '/etc/runlevels';

export const isOpenrc = (files: Files) => !files.exists('/run/systemd/system') && files.exists(`${run}/softlevel`);

/** The states by directory; a later one overrides an earlier one. */
const states: readonly [directory: string, active: string][] = [
  ['started', 'active'],
  ['inactive', 'inactive'],
  ['starting', 'activating'],
  ['stopping', 'deactivating'],
  ['failed', 'failed'],
];
/** Files in the directory of scripts that are not services. */
const noServices = new Set(['functions.sh', 'README', 'skeleton']);
const mostScripts = 8192;
const longestDescription = 512;

export function createOpenrcServices({ files }: Pick<LinuxHost, 'files'>, usage: CgroupUsage) {
  const descriptions = new Map<string, string>();

  /** Loaded once: descriptions change only with the package. Read asynchronously, because the file may be slow or a pipe. */
  const describe = async (name: string) => {
    if (descriptions.has(name)) return;
    descriptions.set(name, name);
    const text = (await files.textLater(`${scripts}/${name}`)) ?? '';
    const [, quoted, bare] = /^description=(?:"([^"\n]*)"|'?([^'\n]*)'?)$/m.exec(text.slice(0, 65_536)) ?? [];
    const words = (quoted ?? bare ?? '').trim().slice(0, longestDescription);
    if (words !== '') descriptions.set(name, words);
  };

  return {
    async read(): Promise<{ state: string; units: ServiceUnit[] }> {
      const names = files.list(scripts).filter((name) => !noServices.has(name) && !name.endsWith('.sh'));
      const stateOf = new Map<string, string>();
      for (const [directory, active] of states)
        for (const name of files.entries(`${run}/${directory}`)) stateOf.set(name, active);
      const enabled = new Set(
        files.list(runlevels).flatMap((level) => files.entries(`${runlevels}/${level}`).slice(0, mostScripts)),
      );
      const shown = names.slice(0, mostScripts);
      await Promise.all(shown.map(describe));
      const units = shown.map((name): ServiceUnit => {
        const active_state = stateOf.get(name) ?? 'inactive';
        const isActive = active_state === 'active';
        const { memory, cpu } = isActive ? usage.read(`/openrc.${name}`) : { memory: null, cpu: null };
        return {
          name,
          scope: 'system',
          description: descriptions.get(name) ?? name,
          allowed: false,
          load_state: 'loaded',
          active_state,
          sub_state: subStates[active_state] ?? active_state,
          since: null,
          main_pid: null,
          memory,
          cpu_time: cpu,
          restarts: null,
          enabled: enabled.has(name) ? 'enabled' : 'disabled',
        };
      });
      return { state: units.some(hasFailed) ? 'degraded' : 'running', units: failedFirst(units) };
    },
  };
}

const subStates: Record<string, string> = { active: 'started', inactive: 'stopped' };
