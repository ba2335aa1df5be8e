// What `npm run package` makes: the meaning of --format and --only.
import { targets } from './runtimes.mjs';

export const packageFormats = ['deb', 'rpm', 'arch', 'tar.gz', 'zip', 'exe', 'msi'];

/**
 * Formats and targets for these arguments, or a sentence about a wrong one. Without options everything; with --format alone the packages for
 * this machine's architecture.
 */
export function wantedPackages(args, architecture = process.arch) {
  const given = { format: valuesOf(args, 'format'), only: valuesOf(args, 'only') };
  for (const [option, known] of [
    ['format', packageFormats],
    ['only', Object.keys(targets)],
  ]) {
    const unknown = given[option]?.find((value) => !known.includes(value));
    if (unknown !== undefined || given[option]?.length === 0)
      return `--${option} must be one or more of ${known.join(', ')}, separated by commas`;
  }
  const formats = given.format ?? packageFormats;
  const here = (target) => given.format === null || target.endsWith(`-${architecture}`);
  const candidates = given.only ?? Object.keys(targets).filter(here);
  const wanted = candidates.filter((target) => formatsOf(target).some((format) => formats.includes(format)));
  if (wanted.length === 0) return `there is no ${formats.join(' or ')} for ${candidates.join(' or ')}`;
  return { formats, targets: wanted };
}

const forWindows = ['zip', 'exe', 'msi'];
const formatsOf = (target) =>
  packageFormats.filter((format) => forWindows.includes(format) === target.startsWith('windows-'));

/** All values of an option that may be repeated; null: it is not there. */
function valuesOf(args, name) {
  const texts = args.flatMap((argument, at) => {
    if (argument === `--${name}`) return [args[at + 1] ?? ''];
    return argument.startsWith(`--${name}=`) ? [argument.slice(name.length + 3)] : [];
  });
  return texts.length === 0 ? null : texts.flatMap((text) => text.split(',')).filter((value) => value !== '');
}
