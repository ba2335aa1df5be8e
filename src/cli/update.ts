import type { Host } from '../host/host.ts';
import type { OwnProgram, ProgramOrigin } from '../host/own-program.ts';
import { programFiles } from '../host/program-files.ts';
import { messageOf } from '../lib/errors.ts';
import { ownCommand } from '../lib/own-command.ts';
import { releaseKey } from '../lib/release-key.ts';
import type { ListedRelease, ReleaseFile } from '../lib/release-list.ts';
import { ownProgramOf } from '../own-program.ts';
import { version as ownVersion } from '../version.ts';
import type { CliContext } from './context.ts';
import { findUpdate, releasesAddress } from './update.find.ts';
import { installRelease } from './update.install.ts';
import { type Restartable, restartInto, runningServices } from './update.restart.ts';

export interface UpdateFlags {
  check?: boolean;
  from?: string;
  json?: boolean;
}

/** What a test has of its own. */
interface UpdateParts {
  key: string | null;
  installed: string;
  own(host: Host): Promise<OwnProgram | null>;
  services: typeof runningServices;
  download: { idleMs?: number; totalMs?: number };
  /** A new version that does not answer by then is taken back. */
  answersWithinMs: number;
  files: typeof programFiles;
}

const usual: UpdateParts = {
  key: releaseKey,
  installed: ownVersion,
  own: ownProgramOf,
  services: runningServices,
  download: {},
  answersWithinMs: 30_000,
  files: programFiles,
};

/** What became of it, as `--json` prints it. */
interface Outcome {
  installed: string;
  /** null: what is installed is the latest. */
  newer: string | null;
  page: string | null;
  /** What to type where others see to it; null: "update" does it itself. */
  command: string | null;
  /** The file it comes as. */
  url: string | null;
  sha256: string | null;
  updated: boolean;
}

export async function update(context: CliContext, flags: UpdateFlags, given: Partial<UpdateParts> = {}): Promise<void> {
  const parts = { ...usual, ...given };
  const { host, print } = context;
  const lines: string[] = [];
  const say = (line: string) => (flags.json ? void lines.push(line) : print(line));
  const finish = (outcome: Outcome) => {
    if (flags.json) print(JSON.stringify({ ...outcome, message: lines.join('\n') }, null, 2));
  };
  const own = await parts.own(host);
  if (parts.key === null) throw new Error(withoutKey(own));
  const address = await releasesAddress(host, flags.from);
  const release = await findUpdate(host, address, { key: parts.key, installed: parts.installed });
  const { installed } = parts;
  const nothing = { installed, newer: null, page: null, command: null, url: null, sha256: null, updated: false };
  if (release === null) {
    say(`Hostler ${installed} is the latest release`);
    return finish(nothing);
  }
  const { version, page } = release;
  say(`Hostler ${version} is available; ${installed} is installed${page === null ? '' : `. ${page}`}`);
  if (own === null) {
    say('On this system it has to be installed by hand');
    return finish({ ...nothing, newer: version, page });
  }
  const found = wantedFile(own.origin, release, address);
  const outcome = { ...nothing, newer: version, page, ...found };
  if (own.origin.kind === 'managed') {
    for (const line of managedLines(own.origin, version, found)) say(line);
    return finish({ ...outcome, command: own.origin.command(version) });
  }
  if (flags.check) {
    say(`"${ownCommand('update')}" installs it`);
    return finish(outcome);
  }
  await replaceAndRestart({ context, parts, say, own, release, address, flags });
  finish({ ...outcome, updated: true });
}

interface Replacing {
  context: CliContext;
  parts: UpdateParts;
  say(line: string): void;
  own: OwnProgram;
  release: ListedRelease;
  address: string;
  flags: UpdateFlags;
}

async function replaceAndRestart({ context, parts, say, own, release, address, flags }: Replacing): Promise<void> {
  const { host } = context;
  const { version } = release;
  const { origin, replacement } = own;
  const [first, ...others] = origin.kind === 'archive' ? origin.programs : [];
  if (origin.kind !== 'archive' || first === undefined) throw new Error('The installed program was not found');
  const name = origin.archive(version);
  const file = release.files.find((listed) => listed.name === name);
  if (file === undefined) throw new Error(`Hostler ${version} has no file for this machine (${name})`);
  // Before it is replaced: afterwards nobody can tell whose program they run.
  const { restartable, byHand } = await parts.services(host, own);
  await installRelease(
    { version, file, url: urlOf(file, address), programs: [first, ...others], replacement },
    {
      host,
      files: parts.files,
      download: { ...parts.download, userAgent: `hostler/${parts.installed}`, progress: progressOf(file, flags) },
      otherwise: `Run "sudo ${ownCommand(`update --from ${address}`)}" if it belongs to root`,
    },
  );
  say(`Hostler ${version} was installed; the previous version is kept as ${first.file}.previous`);
  const programs = [first, ...others].map((one) => one.file);
  for (const service of restartable)
    await restartOrTakeBack(host, service, { parts, say, version, replacement, programs });
  if (byHand !== null) say(`Process ${byHand} still runs ${parts.installed}; restart it to use the new version`);
  else if (restartable.length === 0)
    say(
      `No running service was restarted. To restart the service of another user, run "${ownCommand('service restart')}" as that user`,
    );
}

interface Restarting extends Pick<Replacing, 'parts' | 'say'> {
  version: string;
  replacement: OwnProgram['replacement'];
  programs: readonly string[];
}

/** The old one comes back where the new one does not answer. */
async function restartOrTakeBack(
  host: Host,
  service: Restartable,
  { parts, say, version, replacement, programs }: Restarting,
): Promise<void> {
  const { installed, answersWithinMs } = parts;
  try {
    await restartInto(host, service, version, answersWithinMs);
    say(`${capital(service.name)} was restarted and answers as ${version}`);
  } catch (cause) {
    for (const program of programs) replacement.putBack(program);
    const after = await restartInto(host, service, installed, answersWithinMs).then(
      () => `${installed} was put back, and answers again`,
      (error: unknown) => `${installed} was put back, but ${service.name} does not answer: ${messageOf(error)}`,
    );
    throw new Error(
      `${capital(service.name)} did not come up as ${version} (${messageOf(cause)}), so ${after}. "${ownCommand('service logs')}" may say why`,
      { cause },
    );
  }
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const urlOf = ({ name }: ReleaseFile, address: string) => new URL(name, address).href;

function wantedFile(
  origin: ProgramOrigin,
  { version, files }: ListedRelease,
  address: string,
): { url: string | null; sha256: string | null } {
  const name = origin.kind === 'archive' ? origin.archive(version) : origin.file(version);
  const file = files.find((listed) => listed.name === name);
  return file === undefined ? { url: null, sha256: null } : { url: urlOf(file, address), sha256: file.sha256 };
}

function managedLines(
  { by, command }: Extract<ProgramOrigin, { kind: 'managed' }>,
  version: string,
  { url, sha256 }: { url: string | null; sha256: string | null },
): string[] {
  const fetched = url === null ? [] : [`Download ${url} (SHA-256 ${sha256}), then run:`];
  return [`It was installed by ${by}, which also updates it`, ...fetched, `  ${command(version)}`];
}

function withoutKey(own: OwnProgram | null): string {
  const how = own?.origin.kind === 'managed' ? `: ${own.origin.command('latest')}` : '';
  return `This build of Hostler has no release key, so it cannot verify releases. Update it the way you installed it${how}`;
}

/** One line that counts up, where somebody looks. */
function progressOf({ name, size }: ReleaseFile, { json }: UpdateFlags): (bytes: number) => void {
  if (json || !process.stderr.isTTY) return () => {};
  let shown = -1;
  return (bytes) => {
    const percent = Math.floor((bytes / size) * 100);
    if (percent === shown) return;
    shown = percent;
    process.stderr.write(`\r${name}  ${percent} % of ${(size / 1e6).toFixed(1)} MB${percent === 100 ? '\n' : ''}`);
  };
}
