import { Command, CommanderError, Option } from 'commander';
import { version } from '../app/version.ts';
import { addBluetoothCommands } from '../features/bluetooth/bluetooth.program.ts';
import { addChatCommands } from '../features/chat/chat.program.ts';
import { addClipboardCommands } from '../features/clipboard/clipboard.program.ts';
import { addContainersCommands } from '../features/containers/containers.program.ts';
import { addControlCommands } from '../features/control/control.program.ts';
import { addDisplayCommands } from '../features/displays/display.program.ts';
import { addPointerCommands } from '../features/pointer/pointer.program.ts';
import { addPowerCommands } from '../features/power/power.program.ts';
import { addScreenshotCommand } from '../features/screen/screenshot.program.ts';
import { addServicesCommands } from '../features/services/services.program.ts';
import { ownCommand, ownProgram } from '../lib/own-command.ts';
import { addPairCommands } from './access/pair.program.ts';
import { addTlsCommands } from './access/tls.program.ts';
import { addTokenCommands } from './access/token.program.ts';
import { addAlertCommands } from './alerts.program.ts';
import { createContext } from './context.ts';
import { addDoCommand } from './do.program.ts';
import { exitCodeOf, UsageError } from './exit.ts';
import { addImportCommands } from './import.program.ts';
import { addMcpCommands } from './mcp/mcp.program.ts';
import { addMqttCommands } from './mqtt/mqtt.program.ts';
import { arrangeHelp, asSentence, hiddenCommand, shownInHelp, termOf } from './program.help.ts';
import { misspelledIn, mistakeIn } from './program.suggestions.ts';
import { addServiceCommands } from './service/service.program.ts';
import { addSettingsCommands } from './settings.program.ts';

/** Runs one command line; returns the exit code: 0 done, 1 failed, 2 wrong usage. */
export async function runProgram(args: string[]): Promise<number> {
  return await exitCodeOf(async () => {
    const program = createProgram();
    const [first, ...asked] = args;
    const misspelled = first === 'help' ? misspelledIn(program, asked) : null;
    if (misspelled !== null) throw new UsageError(misspelled);
    try {
      await program.parseAsync(args.length === 0 ? ['--help'] : args, { from: 'user' });
    } catch (error) {
      // Help and version end this way as well; commander has said what there is to say.
      if (!(error instanceof CommanderError)) throw error;
      if (error.code === 'commander.help' && error.exitCode !== 0)
        throw new UsageError('specify one of the commands above');
      if (error.exitCode !== 0) throw new UsageError(mistakeIn(program, args, error));
    }
  });
}

export function createProgram(): Command {
  const program = new Command(ownProgram)
    .description(
      'Exposes the machine it runs on over HTTP, WebSocket and MCP: data modules to read, and actions to take.',
    )
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .exitOverride()
    // Else "token" would take the --json of "token list" for its own; both have to say so.
    .enablePositionalOptions()
    .showSuggestionAfterError(false)
    .configureOutput({ outputError: () => {} })
    .configureHelp({
      visibleCommands: shownInHelp,
      subcommandTerm: termOf,
      commandDescription: (command) => asSentence(command.description()),
      // In the order of the groups, and not of the commands.
      groupItems: (_all, shown, groupOf) => Map.groupBy(shown, groupOf),
    })
    .addHelpText('after', `\n"${ownCommand('COMMAND --help')}" says more about one of them.`);
  const json = () => new Option('--json', 'print JSON instead of a table');

  program
    .command('serve')
    .description('run the service until Ctrl-C, or until it is asked to end')
    .option('--host <address>', 'address to listen on (default: every address, or SERVICE_HOST)')
    .option('--port <number>', 'port to listen on (default: 9170, or SERVICE_PORT; 0: any free one)')
    .option('--log-level <level>', 'DEBUG, INFO, WARN or ERROR (default: INFO, or SERVICE_LOG_LEVEL)')
    .option('--log-format <format>', 'text or json (default: text, or SERVICE_LOG_FORMAT)')
    .action(async (options) => (await import('./serve.ts')).serve(await createContext(), options));

  addTokenCommands(program);

  program
    .command('data <module>')
    .description('print the current data of a module; also works without a running service')
    .addOption(json())
    .option('--watch', 'keep printing changes until Ctrl-C')
    .option('--fields <names>', 'print these fields only, separated by commas, such as usage,per_cpu.usage')
    .action(async (module, options) => (await import('./data.ts')).printData(await createContext(), module, options));
  program
    .command('history [series...]')
    .description(
      'show how the machine was doing: charts of cpu, memory, network and so on, the busiest processes, events',
    )
    .option('--last <span>', 'how long back, such as 15m, 1h or 7d (default: 1h)')
    .option('--from <time>', 'where it begins: an ISO time, or HH:MM')
    .option('--to <time>', 'where it ends (default: now)')
    .option('--step <seconds>', 'time between two values (default: as fits)')
    .addOption(json())
    .action(async (series, options) =>
      (await import('../features/history/history.cli.ts')).printHistory(await createContext(), series, options),
    );
  program
    .command('modules')
    .description('list the modules and whether each is available')
    .addOption(json())
    .action(async (options) => (await import('./modules.ts')).listModules(await createContext(), options));
  program
    .command('doctor')
    .description('check every module and action, and say how to fix what is missing')
    .addOption(json())
    .action(async (options) =>
      (await import('./doctor/doctor.ts')).doctor(await createContext({ careful: false }), options),
    );

  program
    .command('record <directory>')
    .description('write this machine to a new directory, without names, addresses and serial numbers, for a bug report')
    .addOption(json())
    .action(async (directory, options) =>
      (await import('./record.ts')).recordMachine(await createContext(), directory, options),
    );

  program
    .command('support')
    .description(
      'print what a bug report needs: versions, what the doctor says and the last log lines, without names and secrets',
    )
    .addOption(json())
    .action(async (options) =>
      (await import('./support.ts')).printSupport(await createContext({ careful: false }), options),
    );

  program
    .command('status')
    .description('say whether the service runs, where, since when, and what is missing')
    .addOption(json())
    .action(async (options) => (await import('./status.ts')).printStatus(await createContext(), options));
  program
    .command('logs')
    .description('print what the running service has logged, the latest last')
    .option('--lines <number>', 'how many lines, at most 1000 (default: 100)')
    .option('--level <level>', 'only these and worse: DEBUG, INFO, WARN or ERROR')
    .option('-f, --follow', 'keep printing until Ctrl-C')
    .addOption(new Option('--json', 'print each line as JSON'))
    .action(async (options) => (await import('./logs.ts')).printLogs(await createContext(), options));
  program
    .command('top')
    .description('watch processor, memory, network and the busiest processes')
    .option('--every <seconds>', 'time between two looks (default: 2)')
    .addOption(new Option('--json', 'print everything once, as JSON'))
    .action(async (options) => (await import('./top/top.ts')).showTop(await createContext(), options));
  program
    .command('process <pid>')
    .description('show everything about one process: unit, container, open files, I/O, command line')
    .addOption(json())
    .action(async (pid, options) =>
      (await import('../features/processes/processes.cli.ts')).printProcess(await createContext(), pid, options),
    );

  program
    .command('wake <mac>')
    .description('wake another machine on this network by its hardware address (wake-on-LAN)')
    .option('--broadcast <address>', 'broadcast address of the network to call in (default: every network)')
    .option('--port <number>', 'UDP port (default: 9)')
    .addOption(json())
    .action(async (mac, options) =>
      (await import('../features/networks/networks.cli.ts')).wakeMachine(await createContext(), mac, options),
    );

  program
    .command('self-test <part>')
    .description(
      "compare values with the vendor's own tools; gpu: every field with nvidia-smi; windows: what WMI says (Windows)",
    )
    .addOption(json())
    .action(async (part, options) =>
      (await import('./self-test/self-test.ts')).selfTest(await createContext(), part, options),
    );

  program
    .command('open')
    .description('open the dashboard of the running service in the browser, signed in')
    .option(
      '--print',
      'print the address and a one-time code to enter there instead; the code works once, within a minute',
    )
    .option('--on-screen', 'show what goes wrong as a notification as well, for menus')
    .addOption(new Option('--json', 'print both as JSON instead'))
    .action(async (options) => {
      const { openDashboard, openFromMenu } = await import('./open.ts');
      await (options.onScreen ? openFromMenu : openDashboard)(await createContext(), options);
    });

  addPairCommands(program);

  program
    .command('discover')
    .description('list the Hostler services on the network, and warn if the certificate of one has changed')
    .option('--timeout <seconds>', 'how long to wait for answers (default: 3)')
    .option('--prometheus', 'print them as scrape targets of Prometheus (file_sd)')
    .addOption(json())
    .action(async (options) => (await import('./access/discover.ts')).discover(await createContext(), options));

  addTlsCommands(program);
  addDoCommand(program);
  addServiceCommands(program);
  addServicesCommands(program);
  program
    .command('update')
    .description('say how this installation is updated')
    .action(async () => (await import('./update/update.ts')).explainUpdate(await createContext({ careful: false })));
  addImportCommands(program);
  addPowerCommands(program);
  addContainersCommands(program);
  addClipboardCommands(program);
  addControlCommands(program);
  addDisplayCommands(program);
  addPointerCommands(program);
  addBluetoothCommands(program);
  addScreenshotCommand(program);
  addChatCommands(program);
  addMqttCommands(program);
  addAlertCommands(program);
  addSettingsCommands(program);
  addMcpCommands(program);

  program
    .command('version')
    .description('print the version')
    .addOption(json())
    .action(async (options) =>
      (await import('./version.ts')).printVersion(await createContext({ careful: false }), options),
    );
  program
    .command('completion <shell>')
    .description('print the completion script for bash, zsh, fish or powershell')
    .action(async (shell) =>
      (await import('./completion.ts')).printCompletion(await createContext({ careful: false }), shell),
    );
  program
    .command(hiddenCommand, { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .action(async (words) =>
      (await import('./completion.ts')).complete(await createContext({ careful: false }), createProgram(), words),
    );
  arrangeHelp(program);
  return program;
}
