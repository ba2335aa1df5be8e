import path from 'node:path';
import type { Scope } from '../../access/scopes.ts';
import { agentPrograms, type connectingPrograms, type startingPrograms } from '../../lib/agent-programs.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { ownUrl } from '../../transports/http/own-url.ts';
import { scopesFrom } from '../access/scopes-from.ts';
import { openOwnSettings } from '../command-settings.ts';
import type { CliContext } from '../context.ts';
import { UsageError } from '../exit.ts';
import { findService } from '../running-service.ts';
import { serveOptions } from '../serve.ts';
import { explainMissing } from './mcp-missing.ts';
import {
  addScopes,
  bridgeSecret,
  bridgeTokenName,
  makeBridgeSecret,
  newAgentSecret,
  usualScopes,
} from './mcp-token.ts';

export interface McpConfigFlags {
  scope?: string;
  addScope?: string;
  renew?: boolean;
  /** `json`: for any program, in the common form. */
  print?: string;
}

interface ConfigKind {
  where: string;
  /** The file that holds the secret from then on. */
  file: string;
  text(place: { url: string; secret: string }): string;
}

const headers = (secret: string) => ({ Authorization: `Bearer ${secret}` });
const json = (value: unknown) => JSON.stringify(value, null, 2);
const mcpServers = (hostler: unknown) => json({ mcpServers: { hostler } });

/** Secrets must not be in an argument list or a shell's history. */
const remote: Record<(typeof connectingPrograms)[number], ConfigKind> = {
  vscode: {
    where: 'Paste this into .vscode/mcp.json, or into the file of "MCP: Open User Configuration"',
    file: 'that file',
    text: ({ url, secret }) => json({ servers: { hostler: { type: 'http', url, headers: headers(secret) } } }),
  },
  cursor: {
    where: 'Paste this into ~/.cursor/mcp.json',
    file: '~/.cursor/mcp.json',
    text: ({ url, secret }) => mcpServers({ url, headers: headers(secret) }),
  },
  codex: {
    where: 'Paste this into ~/.codex/config.toml',
    file: '~/.codex/config.toml',
    text: ({ url, secret }) =>
      `[mcp_servers.hostler]\nurl = "${url}"\nhttp_headers = { "Authorization" = "Bearer ${secret}" }`,
  },
  gemini: {
    where: 'Paste this into ~/.gemini/settings.json',
    file: '~/.gemini/settings.json',
    text: ({ url, secret }) => mcpServers({ httpUrl: url, headers: headers(secret) }),
  },
};

const starting: Record<(typeof startingPrograms)[number], { where: string; text(started: Started): string }> = {
  'claude-code': {
    where: 'Run this in a terminal; there is no secret in it',
    text: ({ command, args, env = {} }) =>
      [
        'claude mcp add --scope user hostler',
        ...Object.entries(env).map(([name, value]) => `--env ${quoted(`${name}=${value}`)}`),
        '--',
        ...[command, ...args].map(quoted),
      ].join(' '),
  },
  'claude-desktop': {
    where: 'Paste this into claude_desktop_config.json (Settings, Developer, Edit Config)',
    text: mcpServers,
  },
  'lm-studio': {
    where: 'Paste this into mcp.json (Program, Install, Edit mcp.json)',
    text: mcpServers,
  },
  windsurf: {
    where: 'Paste this into ~/.codeium/windsurf/mcp_config.json',
    text: mcpServers,
  },
  zed: {
    where: 'Paste this into the settings of Zed (zed: open settings)',
    text: (started) => json({ context_servers: { hostler: started } }),
  },
};

export async function printMcpConfig(
  context: CliContext,
  client: string | undefined,
  { scope, addScope, renew = false, print: form }: McpConfigFlags,
): Promise<void> {
  const { host, print, complain } = context;
  if (addScope !== undefined) {
    if (scope !== undefined || renew || form !== undefined)
      throw new UsageError('--add-scope keeps the token and its configuration: leave the other options out');
    return await widen(context, client, scopesFrom(addScope));
  }
  const scopes = scope === undefined ? usualScopes : scopesFrom(scope);
  if (form !== undefined && form !== 'json')
    throw new UsageError(`--print must be json, but it is ${JSON.stringify(form)}`);
  if (form === 'json' && client !== undefined)
    throw new UsageError('--print json is for programs that are not listed: leave the name out');
  if (form === undefined && client === undefined)
    throw new UsageError(`Name a program: ${agentPrograms.join(', ')}; or add --print json for any other`);
  if (client === undefined || isStarting(client)) {
    if (scope !== undefined || renew) {
      makeBridgeSecret(host, scopes);
      complain(`Every program that starts "${ownCommand('mcp')}" may do this from now on: ${scopes.join(', ')}.`);
      await explainMissing(context, scopes);
    }
    if (client === undefined) return print(mcpServers(startedBy(context)));
    const { where, text } = starting[client];
    complain(`${where}:`);
    return print(text(startedBy(context)));
  }
  if (!isConnecting(client)) throw unknownProgram(client);
  const kind = remote[client];
  const base = await baseOf(context);
  const secret = newAgentSecret(host, `mcp-${client}`, scopes, renew);
  complain(
    `Created the token "mcp-${client}" (${scopes.join(', ')}); it works for agents only.${scope === undefined ? ' --add-scope power grants more.' : ''}`,
  );
  await explainMissing(context, scopes);
  complain(`Keep ${kind.file} to yourself (chmod 600) and out of repositories: it holds the token.`);
  complain(`${kind.where}:`);
  print(kind.text({ url: `${base}/api/mcp`, secret }));
}

/** Adds scopes to the token of a program. Programs that start "hostler mcp" share one. */
async function widen(context: CliContext, client: string | undefined, added: Scope[]): Promise<void> {
  const { host, print } = context;
  if (client !== undefined && !isStarting(client) && !isConnecting(client)) throw unknownProgram(client);
  const isBridge = client === undefined || isStarting(client);
  // Made at the first use otherwise.
  if (isBridge) bridgeSecret(host);
  const name = isBridge ? bridgeTokenName : `mcp-${client}`;
  const scopes = addScopes(host, name, added);
  if (scopes === null)
    throw new UsageError(`There is no token "${name}" yet; "${ownCommand(`mcp config ${client}`)}" creates it`);
  const whose = isBridge ? `Every program that starts "${ownCommand('mcp')}"` : `The token "${name}"`;
  print(`${whose} may now do this: ${scopes.join(', ')}. Its configuration stays as it is.`);
  await explainMissing(context, added);
}

const isStarting = (client: string): client is keyof typeof starting => Object.hasOwn(starting, client);
const isConnecting = (client: string): client is keyof typeof remote => Object.hasOwn(remote, client);

const unknownProgram = (client: string) =>
  new UsageError(`${JSON.stringify(client)} is unknown; available: ${agentPrograms.join(', ')}`);

async function baseOf({ host }: CliContext): Promise<string> {
  const service = await findService(host);
  if (service !== null)
    return ownUrl('', service.info.port ?? service.info.securePort ?? 0, service.info.port === null);
  const { port, plain, tlsPort } = (await openOwnSettings(host, 'ERROR')).current().server;
  const isSecure = plain === 'off';
  return ownUrl('', isSecure ? tlsPort : (serveOptions(host.environment, {}).port ?? port), isSecure);
}

interface Started {
  command: string;
  args: string[];
  env?: Record<string, string>;
}

/** For the shells of all supported systems. */
const quoted = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** A desktop program has no shell and no PATH: both paths are absolute, and the variables of this command are included. */
function startedBy({ host }: CliContext): Started {
  const compiled = !process.argv[1]?.endsWith('main.ts');
  const root = path.resolve(import.meta.dirname, '..', '..', '..');
  const names = ['SERVICE_STATE_DIR', 'SERVICE_CONFIG_DIR'];
  const env = Object.fromEntries(
    names.flatMap((name) => {
      const value = host.environment.variable(name);
      return value === null ? [] : [[name, value]];
    }),
  );
  return {
    ...(compiled
      ? { command: process.execPath, args: ['mcp'] }
      : { command: 'node', args: [path.join(root, 'scripts', 'hostler.mjs'), 'mcp'] }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
  };
}
