import type { Scope } from '../../access/scopes.ts';
import { version } from '../../app/version.ts';
import { isScope } from '../../features/index.ts';
import { sleep } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { askSealed, NoResponse } from '../../lib/pairing/pairing-client.ts';
import { isObject } from '../../lib/values.ts';
import type { CliContext } from '../context.ts';
import { postRemotely } from '../remote-http.ts';
import { remoteLine, remoteQuote } from '../remote-text.ts';
import { createPrompt } from '../terminal.prompt.ts';
import { requireAcquaintance } from './discover.trust.ts';
import { openPairedMachines, type PairedMachine, toServiceUrl } from './paired-machines.ts';
import { scopesFrom } from './scopes-from.ts';

export interface PairOptions {
  name?: string;
  scopes?: string;
  /** Asks for the code that the other machine printed. Not its value: arguments are not secret. */
  code?: boolean;
  print?: boolean;
}

export async function pairWith(context: CliContext, typed: string, options: PairOptions): Promise<void> {
  const { host, complain, command, isJson } = context;
  const machines = openPairedMachines(host);
  const address = toServiceUrl(typed);
  const known = machines.find(address);
  const show = ({ token, ...machine }: PairedMachine) => {
    if (options.print) return context.answer({ ...machine, token }, token);
    if (isJson) context.answer(machine);
  };
  if (options.print && known !== null) return show(known);
  const name = options.name ?? ownName(host.environment.hostname());
  const scopes = options.scopes === undefined ? [] : scopesFrom(options.scopes);
  const code = options.code ? createPrompt().line('Code that "hostler pair" printed there: ') : '';
  const granted = await ask(context, address, { name, scopes, code });
  const machine: PairedMachine = { address, ...granted, paired: new Date(host.clock.now()).toISOString() };
  machines.keep(machine);
  complain(`${address} gave this machine access as "${machine.name}": ${machine.scopes.join(', ')}.`);
  complain(`The token was transferred encrypted, and is stored in ${machines.file}, which only you can read.`);
  if (address.startsWith('http:'))
    complain('Over plain HTTP, every user of this network can read the token whenever it is used.');
  if (!options.print) complain(`"${command} pair ${typed} --print" prints it.`);
  show(machine);
}

async function ask(
  context: CliContext,
  address: string,
  { name, scopes, code }: { name: string; scopes: Scope[]; code: string },
): Promise<Pick<PairedMachine, 'token' | 'name' | 'scopes'>> {
  const { host, complain } = context;
  const peer = address.startsWith('https:') ? await requireAcquaintance(context, address) : null;
  const post = async (route: string, body: object) => {
    const { status, body: response } = await postRemotely(
      `${address}${route}`,
      body,
      `hostler/${version}`,
      peer?.vouching ?? null,
    ).catch((error: unknown) => {
      throw new NoResponse(`${address} does not answer as a Hostler service: ${remoteLine(messageOf(error))}`);
    });
    if (status === 200 && response.state !== 'refused') return response;
    if (status === 404 && route === '/api/pair/begin') throw new Error(`${address} is too old for pairing`);
    throw refusalBy(address, status === 200 ? response.reason : (response.error ?? `status ${status}`));
  };
  const granted = await askSealed(
    { name, scopes, code, browser: null, certificate: peer?.fingerprint ?? null },
    {
      post,
      sleep: (ms) => sleep(host.clock, ms),
      show(digits) {
        complain(
          `${address} is asking its user, at its screen or with the command "approve" there. It may be allowed if it shows this code:\n\n  ${digits}\n`,
        );
      },
    },
  );
  const { token, name: given, scopes: allowed } = isObject(granted) ? granted : {};
  if (typeof token !== 'string' || !/^[!-~]+$/.test(token) || typeof given !== 'string' || !Array.isArray(allowed))
    throw new Error(`${address} granted something this version does not understand`);
  peer?.remember();
  return {
    token,
    name: remoteLine(given),
    scopes: allowed.filter((scope) => typeof scope === 'string').filter(isScope),
  };
}

/** The other machine chose the text. Unquoted it could show its own code to compare. */
const refusalBy = (address: string, said: unknown) =>
  new Error(
    `${address} refused: ${remoteQuote(typeof said === 'string' ? said : 'no reason')}. No access was granted; do not press Allow.`,
  );

/** Host names may contain characters that token names may not, and be longer. */
const ownName = (hostname: string) => hostname.replace(/[^\w.-]+/g, '-').slice(0, 40) || 'another machine';

export function listMachines({ host, print, table, answer }: CliContext, { forget }: { forget?: string }): void {
  const machines = openPairedMachines(host);
  if (forget !== undefined) {
    const address = toServiceUrl(forget);
    if (!machines.forget(address)) throw new Error(`This machine has no token for ${address}`);
    return print(`The token for ${address} was removed here. To revoke it as well, run "hostler token revoke" there.`);
  }
  const list = machines.list().map(({ token: _token, ...machine }) => machine);
  answer(list, () => {
    if (list.length === 0)
      return print(`No other machine has given this one access; "${ownCommand('pair ADDRESS')}" requests it.`);
    const rows = list.map(({ address, name, scopes, paired }) => [address, name, scopes.join(','), paired]);
    table(['ADDRESS', 'NAME THERE', 'SCOPES', 'PAIRED'], rows);
  });
}
