import path from 'node:path';
import { checkCommand, commandNotStarted, placeProblems } from '../../core/files/allowed-command.ts';
import { underHome } from '../../core/files/bases.ts';
import { findAnywhere } from '../../core/files/find-anywhere.ts';
import type { Host } from '../../host/host.ts';
import { PlaceError } from '../../lib/errors.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import type { CustomSensor } from './custom.parse.ts';

/** Limit of a command's output and of what is read of a file. */
const maxBytes = 64 * 1024;
const longestMs = 30_000;

/** The text of a sensor now. Rejects with a sentence. */
export async function readCustomText(
  host: Host,
  sensor: CustomSensor,
  { commands }: Pick<Settings, 'commands'>,
  environment: () => Promise<Record<string, string>>,
  signal: AbortSignal,
): Promise<string> {
  return sensor.file === '' ? await fromCommand() : await fromFile(host, sensor.file);

  async function fromCommand(): Promise<string> {
    const allowed = commands.allowlist.find(({ id }) => id === sensor.command);
    if (allowed === undefined)
      throw new Error(`There is no command with the id ${JSON.stringify(sensor.command)} in commands.allowlist`);
    const { program, cwd } = await checkCommand(host, allowed);
    const timeoutMs = Math.min(longestMs, sensor.interval * 1000);
    const options = { cwd, env: await environment(), timeoutMs, maxOutput: maxBytes, signal };
    const {
      exitCode,
      signal: endedBy,
      timedOut,
      stdout,
    } = await host.run(program, allowed.arguments, options).catch((error) => {
      throw commandNotStarted(error);
    });
    if (timedOut) throw new Error(`Its command did not finish within ${timeoutMs / 1000} s, and was ended`);
    if (exitCode === null) throw new Error(`Its command was ended by ${endedBy}`);
    if (exitCode !== 0) throw new Error(`Its command exited with code ${exitCode}`);
    return stdout;
  }
}

async function fromFile({ contained, environment }: Host, written: string): Promise<string> {
  if (!path.isAbsolute(written) && !/^~(\/|$)/.test(written))
    throw wrong(JSON.stringify(written), 'is not named by an absolute path');
  const place = underHome(written, environment.home);
  const entry = await findAnywhere(contained, place);
  if (typeof entry === 'string') throw wrong(place, placeProblems[entry]);
  try {
    // Checked after links and bind mounts are resolved: tokens and settings of this service are never values.
    if (contained.isOurs(entry.realPath, entry.identities))
      throw wrong(place, 'belongs to Hostler itself, and is not read');
    if (entry.kind !== 'file') throw wrong(place, 'is not a file');
    const opened = await entry.open();
    if (typeof opened === 'string') throw wrong(place, placeProblems[opened]);
    try {
      const bytes = await opened.read(0, maxBytes);
      if (typeof bytes === 'string') throw wrong(place, placeProblems[bytes]);
      return new TextDecoder().decode(bytes);
    } finally {
      opened.close();
    }
  } finally {
    entry.close();
  }
}

const wrong = (place: string, problem: string) =>
  new PlaceError(`Its file ${problem}`, `Its file ${shortened(place)} ${problem}`);

/** Bounded, so that the message stays readable. */
const shortened = (place: string) => (place.length <= 200 ? place : `${place.slice(0, 200).toWellFormed()}…`);
