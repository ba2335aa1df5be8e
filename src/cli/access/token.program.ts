import { type Command, Option } from 'commander';
import { ownCommand } from '../../lib/own-command.ts';
import { createContext, sayAsJson } from '../context.ts';

/** `token` and the commands below it. */
export function addTokenCommands(program: Command): void {
  const json = () => new Option('--json', 'print JSON instead of a table');

  const token = program
    .command('token')
    .summary('print the token that can do everything; create, list and revoke others')
    .description('print the token that can do everything')
    .enablePositionalOptions()
    .addOption(json())
    .action(async (options) => (await import('./token.ts')).printToken(await createContext(), options));
  token
    .command('list')
    .description('list the tokens, without their secrets, and the browsers that are signed in, with their last use')
    .addOption(json())
    .action(async (options) => (await import('./token.ts')).listTokens(await createContext(), options));
  token
    .command('create')
    .description('create a token for one client; its secret is printed once')
    .requiredOption('--name <name>', 'name of the client it is for')
    .requiredOption('--scope <scopes>', `permissions, separated by commas; see "${ownCommand('token scopes')}"`)
    .addOption(json())
    .action(async (options) => (await import('./token.ts')).createToken(await createContext(), options));
  token
    .command('scopes')
    .description('list the scopes and what each one allows')
    .addOption(json())
    .action(async (options) => (await import('./token.ts')).listScopes(await createContext(), options));
  token
    .command('hash')
    .description('make a token for many machines: prints the file for each of them, and the secret once')
    .requiredOption('--name <name>', 'what it is for, such as prometheus')
    .requiredOption('--scope <scopes>', `permissions, separated by commas; see "${ownCommand('token scopes')}"`)
    .option('--secret-file <file>', 'take the secret from this file instead of making one')
    .addOption(json())
    .action(async (options) =>
      (await import('./token.ts')).hashToken(await createContext({ careful: false }), options),
    );
  token
    .command('revoke <name>')
    .description('revoke a token, by its name or id, or sign a browser out, by its id; it stops working at once')
    .addOption(json())
    .action(async (name, options) => {
      const { revokeToken } = await import('./token.ts');
      await sayAsJson(await createContext(), options, (context) => revokeToken(context, name));
    });
  token
    .command('rotate [name]')
    .description('give a token a new secret (default: the first token) and print it')
    .addOption(json())
    .action(async (name, options) => (await import('./token.ts')).rotateToken(await createContext(), name, options));
}
