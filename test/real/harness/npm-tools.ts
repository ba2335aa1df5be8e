import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { oneAtATime } from './one-at-a-time.ts';
import { root } from './service.ts';

/** Programs of the registry that tests need and that are too large to be dependencies: 270 MB for these tests only. */
const packages = [
  '@modelcontextprotocol/conformance@0.2.0-alpha.12',
  '@modelcontextprotocol/inspector@2.12.0',
  // Both of them need Node 22.
  `node-linux-${process.arch}@22.23.3`,
];

/** Third-party readers of the API documents. */
const documentPackages = ['@redocly/cli@2.73.0', 'openapi-typescript@7.13.0', 'typescript@5.9.3'];

/** An independent MQTT client. */
const mqttPackages = ['mqtt@5.16.0'];

/** A bridge from stdio to MCP over HTTP, with OAuth. */
const remotePackages = ['mcp-remote@0.15.1'];

/** The flow editor, with a Node that runs it. */
const nodeRedPackages = ['node-red@5.0.7', `node-linux-${process.arch}@22.23.3`];

const folder = path.join(root, '.cache', 'npm-tools');
const nodeRedFolder = path.join(root, '.cache', 'npm-node-red');
const remoteFolder = path.join(root, '.cache', 'npm-mcp-remote');
const mqttFolder = path.join(root, '.cache', 'npm-mqtt');
const documentFolder = path.join(root, '.cache', 'npm-document-tools');
const installLimitMs = 540_000;

/**
 * Installs them once; existing ones are used. Without a registry the reason for the skip is printed.
 * Where CI=true nothing may be skipped.
 */
export const npmTools = (): boolean => oneAtATime('npm-tools', () => areInstalled(folder, packages));

/** Absolute paths of these programs; null: not available. */
export function documentTools(): { redocly: string; openapiTypescript: string; tsc: string } | null {
  if (!oneAtATime('npm-document-tools', () => areInstalled(documentFolder, documentPackages))) return null;
  const modules = path.join(documentFolder, 'node_modules');
  return {
    redocly: path.join(modules, '@redocly/cli/bin/cli.js'),
    openapiTypescript: path.join(modules, 'openapi-typescript/bin/cli.js'),
    tsc: path.join(modules, 'typescript/bin/tsc'),
  };
}

/** Absolute path of the module of the npm package mqtt; null: not available. */
export const mqttPackage = (): string | null =>
  areInstalled(mqttFolder, mqttPackages) ? path.join(mqttFolder, 'node_modules/mqtt/build/index.js') : null;

/** Absolute path of the program mcp-remote; null: not available. */
export const mcpRemote = (): string | null =>
  areInstalled(remoteFolder, remotePackages) ? path.join(remoteFolder, 'node_modules/mcp-remote/dist/proxy.js') : null;

/** Absolute paths of Node-RED and of a Node that runs it; null: not available. */
export function nodeRed(): { node: string; program: string } | null {
  if (!oneAtATime('npm-node-red', () => areInstalled(nodeRedFolder, nodeRedPackages))) return null;
  const modules = path.join(nodeRedFolder, 'node_modules');
  return {
    node: path.join(modules, `node-linux-${process.arch}`, 'bin', 'node'),
    program: path.join(modules, 'node-red/red.js'),
  };
}

function areInstalled(folder: string, packages: readonly string[]): boolean {
  const stamp = path.join(folder, 'installed');
  const wanted = packages.join('\n');
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted) return true;
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'package.json'), '{"private":true}');
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', ...packages];
  const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8', timeout: installLimitMs });
  if (status === 0) {
    fs.writeFileSync(stamp, wanted);
    return true;
  }
  const reason = `${packages.join(', ')} cannot be installed: ${stderr?.trim().split('\n').at(0) ?? 'npm did not end'}`;
  if (process.env.CI === 'true') throw new Error(`${reason}. With CI=true every real part has to be there.`);
  console.warn(`skipped: ${reason}`);
  return false;
}

/** Absolute path of a Node 22; null: not available. */
export const node22 = (): string | null => (npmTools() ? nodeBinary : null);

const nodeBinary = path.join(folder, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node');

const programs = {
  conformance: '@modelcontextprotocol/conformance/dist/index.js',
  inspector: '@modelcontextprotocol/inspector/clients/launcher/build/index.js',
};

/** Runs one of them on Node 22 to its end. */
export async function runNpmTool(
  program: keyof typeof programs,
  args: string[],
  directory: string,
): Promise<{ code: number | null; stdout: string; output: string }> {
  const modules = path.join(folder, 'node_modules');
  const child = spawn(nodeBinary, [path.join(modules, programs[program]), ...args], {
    cwd: directory,
    env: {
      PATH: `${path.dirname(nodeBinary)}:${process.env.PATH ?? ''}`,
      HOME: directory,
      NO_PROXY: '127.0.0.1,localhost',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let output = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout, output };
}
