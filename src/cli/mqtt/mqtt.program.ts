import { type Command, Option } from 'commander';
import { createContext, sayAsJson } from '../context.ts';

/** Named on the command line so that the rest can be asked for. The password never is: every process could read it there. */
export function addMqttCommands(program: Command): void {
  const mqtt = program
    .command('mqtt')
    .description('connect this machine to an MQTT broker, for Home Assistant and others');
  mqtt
    .command('setup')
    .description(
      'set the broker: asks for its address, the user name and the password, or reads them from a pipe, one per line',
    )
    .option('--url <url>', 'the broker, such as mqtts://broker.example:8883')
    .option('--username <name>', 'user name at the broker; "" for none')
    .option('--password-file <file>', 'read the password from a file instead of asking')
    .option('--ca-file <file>', 'PEM file with the authorities to trust')
    .option('--certificate-file <file>', 'PEM file with the certificate this machine shows')
    .option('--key-file <file>', 'PEM file with its key')
    .option('--server-name <name>', "name the broker's certificate must have")
    .option(
      '--scope <scopes>',
      'what everybody who can publish at the broker may do, separated by commas (default: read)',
    )
    .addOption(new Option('--json', 'print JSON instead of sentences'))
    .action(async (options) => {
      const { setUpMqtt } = await import('./mqtt.ts');
      await sayAsJson(await createContext(), options, (context) => setUpMqtt(context, options));
    });
  mqtt
    .command('status')
    .description('show the connection, what is published and what may be controlled')
    .addOption(new Option('--json', 'print JSON instead of a table'))
    .action(async (options) => (await import('./mqtt.ts')).printMqttStatus(await createContext(), options));
  mqtt
    .command('forget')
    .description('remove this machine from the broker and from Home Assistant, and forget the broker')
    .addOption(new Option('--json', 'print JSON instead of sentences'))
    .action(async (options) => sayAsJson(await createContext(), options, (await import('./mqtt.ts')).forgetMqtt));
}
