import type { Command } from 'commander';
import { asSentence } from '../../src/cli/program.help.ts';

/** hostler(1), from the commands themselves. https://man7.org/linux/man-pages/man7/man-pages.7.html */
export function manPage(program: Command, version: string, time: number): string {
  const date = new Date(time * 1000).toISOString().slice(0, 10);
  return [
    `.TH HOSTLER 1 "${date}" "Hostler ${version}" "User Commands"`,
    '.SH NAME',
    'hostler \\- the machine it runs on, over HTTP, WebSocket and MCP',
    '.SH SYNOPSIS',
    '.B hostler',
    '.I command',
    '.RI [ options ]',
    '.SH DESCRIPTION',
    roff(program.description()),
    '.SH COMMANDS',
    ...commandsBelow(program, ['hostler']),
    '.SH EXIT STATUS',
    ...definition('0', 'It was done.'),
    ...definition('1', 'It failed; standard error says why.'),
    ...definition('2', 'It was asked for in a wrong way.'),
    ...definition('70', 'The service ended because of a bug; its log says where.'),
    '.SH SIGNALS',
    ...definition('SIGTERM, SIGINT', 'The service ends.'),
    ...definition(
      'SIGHUP',
      'The service reads its settings again, or ends if it was started in a terminal that has gone.',
    ),
    '.SH ENVIRONMENT',
    ...definition('SERVICE_HOST, SERVICE_PORT, SERVICE_LOG_LEVEL', 'As the options of "hostler serve".'),
    ...definition('SERVICE_CONFIG_DIR, SERVICE_STATE_DIR', 'Where settings, and tokens and history are.'),
    '.SH FILES',
    ...definition('~/.config/hostler/settings.json', 'Settings.'),
    ...definition('~/.local/state/hostler/', 'Tokens, history and other state.'),
    ...definition('/etc/hostler/settings.json', 'Settings that the administrator sets for all users.'),
    ...definition('/usr/share/doc/hostler/docs/', 'How to install, configure and use it, a page for each subject.'),
    '.SH SEE ALSO',
    '.BR systemctl (1),',
    '.BR journalctl (1)',
    '',
  ].join('\n');
}

function commandsBelow(command: Command, words: readonly string[]): string[] {
  // Commands for the completion scripts only are omitted.
  return command.commands
    .filter((child) => child.name() !== 'complete')
    .flatMap((child) => {
      const name = [...words, child.name()];
      const parameters = child.registeredArguments.map((argument) => {
        const inner = `${argument.name()}${argument.variadic ? '...' : ''}`;
        return argument.required ? ` <${inner}>` : ` [${inner}]`;
      });
      const options = child.options.filter(({ hidden }) => !hidden);
      return [
        '.TP',
        `.B ${roff(`${name.join(' ')}${parameters.join('')}`)}`,
        roff(asSentence(child.description())),
        ...(options.length === 0
          ? []
          : ['.RS', ...options.flatMap((each) => definition(each.flags, asSentence(each.description))), '.RE']),
        ...commandsBelow(child, name),
      ];
    });
}

const definition = (name: string, meaning: string) => ['.TP', `.B ${roff(name)}`, roff(meaning)];

/** A line must not begin with a roff request. */
const roff = (words: string) =>
  words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('\n', ' ')
    .replace(/^([.'])/, '\\&$1');
