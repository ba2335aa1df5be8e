import { describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';

/** Enforces the directions of ARCHITECTURE.md: which folders may import which, and which may touch the machine. Not lengths, not taste. */

const root = path.resolve(import.meta.dirname, '..');
const src = path.join(root, 'src');

interface Import {
  from: string;
  /** Path below src/, or the name of a package. */
  to: string;
  typeOnly: boolean;
  /** Loaded when that code runs, not with the file. */
  lazy: boolean;
}

/** Source files of src/ by their path below it, and of packages/ by theirs below the root. */
const sourcesIn = (folder: string, prefix: string) =>
  fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !isTest(file) && !/fixtures|node_modules/.test(file))
    .map((file) => `${prefix}${file}`)
    .sort();
const files = [...sourcesIn(src, ''), ...sourcesIn(path.join(root, 'packages'), 'packages/')];
const placeOf = (file: string) => path.join(file.startsWith('packages/') ? root : src, file);
const texts = new Map(files.map((file) => [file, fs.readFileSync(placeOf(file), 'utf8')]));
const imports = files.flatMap(importsOf);

function importsOf(from: string): Import[] {
  const text = texts.get(from) ?? '';
  const target = (specifier: string) => {
    const [, name, rest] = /^@hostler\/([\w-]+)\/(.*)$/.exec(specifier) ?? [];
    if (name !== undefined) return `packages/${name}/src/${rest}`;
    if (!specifier.startsWith('.')) return specifier;
    const file = path.resolve(path.dirname(placeOf(from)), specifier);
    return path.relative(from.startsWith('packages/') && !file.startsWith(src) ? root : src, file);
  };
  return specifiersIn(text).map(({ specifier, ...how }) => ({ from, to: target(specifier), ...how }));
}

function specifiersIn(text: string): (Pick<Import, 'typeOnly' | 'lazy'> & { specifier: string })[] {
  const fixed = [
    ...text.matchAll(/^(?:import|export)\s+(type\s+)?(?:([\w\s{},*$]+?)\sfrom\s+)?['"]([^'"]+)['"]/gm),
  ].map(([, type, names = '', specifier = '']) => ({
    specifier,
    typeOnly: type !== undefined || onlyTypes(names),
    lazy: false,
  }));
  const lazy = [...text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g)].map(([, specifier = '']) => ({
    specifier,
    typeOnly: false,
    lazy: true,
  }));
  return [...fixed, ...lazy];
}

/** `{ type A, type B }`: nothing is left at run time. */
function onlyTypes(names: string): boolean {
  const inner = /^\{([^}]*)\}$/.exec(names.trim())?.[1];
  return inner?.split(',').every((name) => name.trim() === '' || name.trim().startsWith('type ')) ?? false;
}

/** Every import of packages/, tests and doubles included. Types count: a package has to compile alone. */
const packageImports = fs.globSync('packages/*/package.json', { cwd: root }).flatMap((manifest) => {
  const folder = path.join(root, path.dirname(manifest));
  const name = path.basename(folder);
  const { dependencies = {}, devDependencies = {} } = JSON.parse(
    fs.readFileSync(path.join(folder, 'package.json'), 'utf8'),
  );
  const listed = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return listed
    .filter((file) => file.endsWith('.ts') && !file.startsWith('node_modules'))
    .flatMap((file) => {
      const declared = [
        ...Object.keys(dependencies),
        ...(isTest(file) ? ['bun', ...Object.keys(devDependencies)] : []),
      ];
      const place = path.join(folder, file);
      return specifiersIn(fs.readFileSync(place, 'utf8')).map(({ specifier }) => ({
        edge: `packages/${name}/${file} → ${specifier}`,
        isAllowed: specifier.startsWith('.')
          ? path.resolve(path.dirname(place), specifier).startsWith(path.join(folder, 'src') + path.sep)
          : specifier.startsWith('node:') || declared.includes(packageNameIn(specifier)),
      }));
    });
});

/** Tests, and the doubles they share. */
function isTest(file: string): boolean {
  return file.endsWith('.test.ts') || file.includes('/testing/');
}

/** `@hostler/io` of `@hostler/io/clock.ts`, `bun` of `bun:test`. */
function packageNameIn(specifier: string): string {
  return /^(?:@[^/]+\/)?[^/:]+/.exec(specifier)?.[0] ?? '';
}

const folder = (file: string) => file.split('/')[0] ?? '';
const show = ({ from, to }: Import) => `${from} → ${to}`;
const ours = ({ to }: Import) => to.endsWith('.ts');

function violations(wrong: (entry: Import) => boolean): string[] {
  return imports.filter(wrong).map(show);
}

test('the scan finds the imports', () => {
  expect(imports.length).toBeGreaterThan(100);
  expect(imports.map(show)).toContain('main.ts → cli/program.ts');
  expect(imports.map(show)).toContain('features/memory/memory.ts → features/memory/memory.linux.ts');
});

describe('import directions', () => {
  const only = (from: string, ...known: string[]) =>
    violations((entry) => folder(entry.from) === from && ours(entry) && ![from, ...known].includes(folder(entry.to)));

  test('lib imports only packages, host only packages and lib', () => {
    expect(only('lib', 'packages')).toEqual([]);
    expect(only('host', 'packages', 'lib', 'core')).toEqual([]);
  });

  test('a package imports only itself and what its package.json declares, also in its tests', () => {
    expect(packageImports.filter(({ isAllowed }) => !isAllowed).map(({ edge }) => edge)).toEqual([]);
    expect(packageImports.map(({ edge }) => edge)).toContain('packages/dbus/src/link.test.ts → fast-check');
  });

  test('core imports lib, and only types from elsewhere', () => {
    expect(only('core', 'lib', 'packages', 'host', 'access', 'settings')).toEqual([]);
    const values = (entry: Import) => !entry.typeOnly && !/^(core|lib|packages)\//.test(entry.to);
    expect(violations((entry) => folder(entry.from) === 'core' && ours(entry) && values(entry))).toEqual([]);
  });

  test('history imports core and host; modules declare what is recorded', () => {
    expect(only('history', 'core', 'lib', 'packages', 'host', 'settings')).toEqual([]);
    const settings = (entry: Import) => folder(entry.from) === 'history' && folder(entry.to) === 'settings';
    expect(violations((entry) => settings(entry) && !entry.typeOnly)).toEqual([]);
  });

  test('alerts import core, host and access; modules declare what is watched, and history is known by type', () => {
    expect(only('alerts', 'core', 'lib', 'packages', 'host', 'access', 'settings')).toEqual([]);
    const mine = (entry: Import) => folder(entry.from) === 'alerts' && !entry.typeOnly;
    expect(violations((entry) => mine(entry) && /^(settings|host)\//.test(entry.to))).toEqual([]);
  });

  test('access and settings import only core and host', () => {
    const known = new Set(['core', 'lib', 'packages', 'host', 'access', 'settings']);
    expect(
      violations((entry) => /^(access|settings)\//.test(entry.from) && ours(entry) && !known.has(folder(entry.to))),
    ).toEqual([]);
  });

  test('features import core and host, never each other or a transport', () => {
    const known = new Set(['features', 'core', 'lib', 'packages', 'host', 'settings', 'access', 'alerts', 'history']);
    const mine = (entry: Import) =>
      folder(entry.from) === 'features' && ours(entry) && entry.from !== 'features/index.ts';
    expect(violations((entry) => mine(entry) && !known.has(folder(entry.to)))).toEqual([]);
    const own = (file: string) => file.split('/').slice(0, 2).join('/');
    expect(
      violations((entry) => mine(entry) && folder(entry.to) === 'features' && own(entry.from) !== own(entry.to)),
    ).toEqual([]);
    const schemas = ({ from, to }: Import) => from.endsWith('.schema.ts') && to.endsWith('.schema.ts');
    const values = (entry: Import) => /^(settings|access)\//.test(entry.to) && !entry.typeOnly && !schemas(entry);
    expect(violations((entry) => mine(entry) && values(entry))).toEqual([]);
  });

  test('code that serves one feature lives in it: host and lib files have two users or one that is not a feature', () => {
    const users = new Map<string, Set<string>>();
    for (const { from, to } of imports)
      if (/^host\//.test(to))
        users.set(
          to,
          (users.get(to) ?? new Set()).add(
            folder(from) === 'features' ? from.split('/').slice(0, 2).join('/') : folder(from),
          ),
        );
    const single = [...users].filter(([, by]) => by.size === 1 && [...by][0]?.startsWith('features/'));
    expect(single.map(([file, by]) => `${file} ← ${[...by].join()}`)).toEqual([]);
  });

  test('tools import only core, and know modules by their payload types', () => {
    const mine = (entry: Import) => folder(entry.from) === 'tools' && ours(entry);
    const isContract = ({ to, typeOnly }: Import) => /^features\/.*\.schema\.ts$/.test(to) && typeOnly;
    expect(
      violations((entry) => mine(entry) && !/^(tools|core|lib|packages)\//.test(entry.to) && !isContract(entry)),
    ).toEqual([]);
  });

  test('transports import no host, module, action or tool', () => {
    expect(
      violations((entry) => folder(entry.from) === 'transports' && /^(host|features|tools|cli|app)\//.test(entry.to)),
    ).toEqual([]);
  });

  test('the command line and the tray know features by their list only', () => {
    const mine = ({ from, to }: Import) => /^(cli|app\/tray)\//.test(from) && folder(to) === 'features';
    expect(violations((entry) => mine(entry) && entry.to !== 'features/index.ts')).toEqual([]);
  });

  test('only main starts the command line, and nothing imports main', () => {
    expect(
      violations((entry) => folder(entry.to) === 'cli' && folder(entry.from) !== 'cli' && entry.from !== 'main.ts'),
    ).toEqual([]);
    expect(violations((entry) => entry.to === 'main.ts')).toEqual([]);
  });

  test('the client has no platform dependencies', () => {
    const runtimes = /\b(?:Bun|process|Buffer|require|window|document)\b/;
    // Generated types have fields called process.
    const written = files.filter((file) => file.startsWith('packages/client/') && !file.endsWith('.generated.ts'));
    const code = written.map((file) => [file, texts.get(file) ?? '']);
    expect(code.filter(([, text = '']) => runtimes.test(withoutComments(text))).map(([file]) => file)).toEqual([]);
  });

  test('the dashboard has of the service only what runs in a browser: schemas and the client', () => {
    const web = path.join(root, 'web');
    const sources = fs.readdirSync(web, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
    const foreign = sources.flatMap((file) =>
      [...fs.readFileSync(path.join(web, file), 'utf8').matchAll(/from '(\.[^']+)'/g)]
        .map(([, specifier = '']) => path.relative(src, path.resolve(web, path.dirname(file), specifier)))
        .filter((to) => !to.startsWith(`..${path.sep}web`))
        .map((to) => `${file} → ${to}`),
    );
    expect(foreign).toContain('state/settings.generated.ts → settings/settings.schema.ts');
    const allowed = / → (?:[\w/.-]+\.schema\.ts|lib\/(?:[\w-]+\/)?[\w.-]+\.ts)$/;
    expect(foreign.filter((entry) => !allowed.test(entry))).toEqual([]);
  });

  test('schemas import the schema library, each other and plain names: they run in a browser', () => {
    const allowed = ({ to, typeOnly }: Import) =>
      to === 'zod' || to.endsWith('.schema.ts') || (/^(access\/scopes|lib\/units)\.ts$/.test(to) && typeOnly);
    expect(violations((entry) => entry.from.endsWith('.schema.ts') && !allowed(entry))).toEqual([]);
  });
});

const platformOf = (file: string) =>
  /(?:^|\/)(linux|windows|darwin)\/|\.(linux|windows|darwin)\./.exec(file)?.slice(1).find(Boolean);

describe('a platform is a suffix or a folder', () => {
  test('a file that names a Linux path has a Linux suffix or folder', () => {
    const places = /['"`]\/(?:proc|sys|dev|etc)\/|host\/linux\//;
    const named = files.filter((file) => platformOf(file) !== 'linux' && places.test(withoutImports(file)));
    expect(named).toEqual([]);
  });

  test('platform-neutral files import no platform file, unless they choose between platforms', () => {
    // Each of these is a list of platforms; what its loaders import runs on one of them only.
    const chooses = ({ from, lazy }: Import) => lazy || registries.has(from);
    const crosses = (entry: Import) =>
      ours(entry) && platformOf(entry.to) !== undefined && platformOf(entry.from) !== platformOf(entry.to);
    expect(violations((entry) => crosses(entry) && !entry.typeOnly && !chooses(entry))).toEqual([]);
    expect(violations((entry) => crosses(entry) && entry.typeOnly && !chooses(entry))).toEqual([]);
  });
});

/** Where the platforms are listed beside each other. */
const registries = new Set(['core/platform.ts', 'host/plain-host.ts']);

function withoutImports(file: string): string {
  return withoutComments(texts.get(file) ?? '')
    .replace(/^import [^;]*;$/gm, '')
    .replace(/import\([^)]*\)/g, '');
}

describe('access to the machine and the runtime', () => {
  const using = (pattern: RegExp, allowed: (file: string) => boolean) =>
    files.filter((file) => !allowed(file) && pattern.test(withoutComments(texts.get(file) ?? '')));

  test('the interfaces of the runtime are used only behind their wrappers', () => {
    const seams = new Set([
      'host/database.ts',
      'host/ffi.ts',
      'lib/collect-heap.ts',
      'app/log-output.ts',
      'host/outgoing.ts',
      'host/processes/launch.ts',
      'host/processes/process-group.ts',
      'features/screen/pictures/webp.encode.ts',
      'host/unix-socket.ts',
      'lib/digest.ts',
      'lib/gzip.ts',
      'lib/values.ts',
    ]);
    const seam = (file: string) => /^transports\/http\/(?:\w+\/)?server[\w.]*\.ts$/.test(file) || seams.has(file);
    expect(using(/\bBun\.(?!BodyInit)|from ['"]bun['":]|['"]bun:/, seam)).toEqual([]);
  });

  test('only lib/platform.ts checks the operating system', () => {
    expect(using(/process\.platform|os\.platform\(/, (file) => file === 'lib/platform.ts')).toEqual([]);
  });

  test('only platform files, host, packages, app and the terminal touch the machine', () => {
    // These compute; they open nothing.
    const pure = new Set(['node:path', 'node:util', 'node:zlib', 'node:crypto', 'node:events']);
    const may = (file: string) => /^(host|packages|app|cli\/terminal)\b/.test(file) || platformOf(file) !== undefined;
    const names = (entry: Import) =>
      entry.to === 'node:net' && /import \{ isIP \} from 'node:net'/.test(texts.get(entry.from) ?? '');
    expect(
      violations((entry) => entry.to.startsWith('node:') && !may(entry.from) && !pure.has(entry.to) && !names(entry)),
    ).toEqual([]);
  });

  test('no program is ever started through a shell', () => {
    expect(using(/shell:\s*true|\bexecSync\(|\bexec\(\s*[`'"]/, () => false)).toEqual([]);
  });

  test('only main ends the process', () => {
    expect(using(/process\.exit\(/, (file) => file === 'main.ts')).toEqual([]);
  });

  test('no dynamic import of a whole library: the bundler would include all of it, with messages in 50 languages', () => {
    const whole = imports.filter(({ to, lazy }) => lazy && ['zod', 'pkijs', 'asn1js'].includes(to));
    expect(whole).toEqual([]);
  });

  test('starting the service loads no library that only some requests need', () => {
    const loaded = loadedWith('app/service.ts');
    const late = [
      'zod',
      'packages/dbus/src/bus.ts',
      'jsonc-parser',
      'semver',
      'commander',
      'bun:ffi',
      'bun:sqlite',
      'history/archive.ts',
      'history/samplers.ts',
      'node:child_process',
      'node:crypto',
      'node:net',
      'node:util',
      'node:worker_threads',
      'node:http',
      'transports/mcp/create-agents.ts',
      'packages/mcp/src/session.ts',
      'pkijs',
      'asn1js',
      'transports/http/secure.ts',
      'access/tls/local-authority.ts',
      'settings/administrator-settings.ts',
      'transports/otlp/start.ts',
      'alerts/engine.ts',
      'alerts/notifiers.ts',
      'alerts/targets/targets.ts',
      'transports/glances/glances.ts',
      'history/live-sampler.ts',
    ];
    expect(late.filter((name) => name.endsWith('.ts') && !texts.has(name))).toEqual([]);
    expect(late.filter((name) => loaded.has(name))).toEqual([]);
    expect(loaded.has('core/store.ts')).toBe(true);
  });

  test('an agent that reads loads no schema library', () => {
    const loaded = loadedWith('transports/mcp/create-agents.ts');
    expect([loaded.has('zod'), loaded.has('transports/mcp/server.ts')]).toEqual([false, true]);
  });

  test('reading, and judging what actions are available, loads no schema library', () => {
    const features = files.filter((file) => file.startsWith('features/') && !/\.schema\.ts$|\.cli\.ts$/.test(file));
    expect([...features, 'transports/entities/entities.ts'].filter((file) => loadedWith(file).has('zod'))).toEqual([]);
    expect(loadedWith('features/chat/chat.schema.ts').has('zod')).toBe(true);
  });
});

function loadedWith(first: string): Set<string> {
  const loaded = new Set<string>();
  const visit = (file: string) => {
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const entry of imports) if (entry.from === file && !entry.typeOnly && !entry.lazy) visit(entry.to);
  };
  visit(first);
  return loaded;
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}

describe('names', () => {
  test('export names are unique across files', () => {
    const places = new Map<string, string[]>();
    for (const file of files.filter((each) => !each.startsWith('packages/'))) {
      const exported = /^export (?:async )?(?:interface|type|function\*?|const|class) (\w+)/gm;
      for (const [, name = ''] of (texts.get(file) ?? '').matchAll(exported))
        places.set(name, [...new Set([...(places.get(name) ?? []), file])]);
    }
    expect([...places].filter(([, where]) => where.length > 1)).toEqual([]);
  });

  test('there are no import cycles, types included', () => {
    const targets = new Map(
      files.map((file) => [file, imports.filter(({ from, lazy }) => from === file && !lazy).map(({ to }) => to)]),
    );
    const reaches = (from: string): Set<string> => {
      const seen = new Set<string>();
      const visit = (file: string) => {
        for (const to of targets.get(file) ?? []) {
          if (seen.has(to)) continue;
          seen.add(to);
          visit(to);
        }
      };
      visit(from);
      return seen;
    };
    expect(files.filter((file) => reaches(file).has(file))).toEqual([]);
  });
});
