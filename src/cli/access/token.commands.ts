import type { CommandDefinition } from '../../core/command.ts';
import { listOptions } from '../../core/list-flags.ts';
import { ownCommand } from '../../lib/own-command.ts';
import type { CliContext } from '../context.ts';

const json = 'print JSON instead of a table';
const scope = {
  flags: '--scope <scopes>',
  description: `permissions, separated by commas; see "${ownCommand('token scopes')}"`,
  isRequired: true,
} as const;

export const tokenCommands: readonly CommandDefinition<CliContext>[] = [
  {
    usage: 'token',
    summary: 'print the token that can do everything; create, list and revoke others',
    description: 'print the token that can do everything',
    place: { group: 'access', rank: 1 },
    json,
    run: async () => (await import('./token.ts')).printToken,
  },
  {
    usage: 'token list',
    description: 'list the tokens, without their secrets, and the browsers that are signed in, with their last use',
    options: listOptions,
    json,
    run: async () => (await import('./token.ts')).listTokens,
  },
  {
    usage: 'token create',
    description: 'create a token for one client; its secret is printed once',
    options: [{ flags: '--name <name>', description: 'name of the client it is for', isRequired: true }, scope],
    json,
    examples: [
      ['token create --name ha --scope read,media,notify', 'for Home Assistant'],
      ['token create --name grafana --scope read', 'for a program that only reads'],
    ],
    run: async () => (await import('./token.ts')).createToken,
  },
  {
    usage: 'token change <name>',
    description: 'grant more to a token, by its name or id; its secret stays, and clients need no change',
    options: [
      {
        flags: '--add-scope <scopes>',
        description: `what it may do as well, separated by commas; see "${ownCommand('token scopes')}"`,
        isRequired: true,
      },
    ],
    json,
    examples: [['token change mcp-bridge --add-scope power', 'agents may ask to restart the machine']],
    run: async () => (await import('./token.ts')).changeToken,
  },
  {
    usage: 'token scopes',
    description: 'list the scopes and what each one allows',
    json,
    run: async () => (await import('./token.ts')).listScopes,
  },
  {
    usage: 'token hash',
    description: 'make a token for many machines: prints the file for each of them, and the secret once',
    options: [
      { flags: '--name <name>', description: 'what it is for, such as prometheus', isRequired: true },
      scope,
      { flags: '--secret-file <file>', description: 'take the secret from this file instead of making one' },
    ],
    json,
    trustsNothing: true,
    run: async () => (await import('./token.ts')).hashToken,
  },
  {
    usage: 'token revoke <name>',
    description: 'revoke a token, by its name or id, or sign a browser out, by its id; it stops working at once',
    json,
    isSentences: true,
    run: async () => (await import('./token.ts')).revokeToken,
  },
  {
    usage: 'token rotate [name]',
    description: 'give a token a new secret (default: the first token) and print it',
    json,
    run: async () => (await import('./token.ts')).rotateToken,
  },
];
