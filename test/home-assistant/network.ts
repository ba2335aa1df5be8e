import { spawnSync } from 'node:child_process';
import { createPrivateNetwork } from '../real/harness/network.ts';

/** The network between Home Assistant and the machines, which are in the namespace of this process. */
export interface HomeNetwork {
  /** A prefix that starts a program beside Home Assistant. */
  within: readonly string[];
  /** Packets are lost, and no connection is closed. */
  cut(): void;
  restore(): void;
  remove(): void;
}

export const homeAddress = '10.77.0.1';
export const machineAddress = '10.77.0.2';

/** For this script alone, so that it reaches Home Assistant while the network of the machine is cut. */
export const controlAddress = 'fd77::1';

export function createHomeNetwork(): HomeNetwork {
  const home = createPrivateNetwork('home');
  const here = (command: string) => {
    const { status, stderr } = spawnSync('ip', command.split(' '), { encoding: 'utf8' });
    if (status !== 0) throw new Error(`ip ${command}: ${stderr}`);
  };
  const namespace = home.within.at(-1) ?? '';
  here(`link add machine type veth peer name home netns ${namespace}`);
  for (const command of [`address add ${machineAddress}/24 dev`, 'address add fd77::2/64 nodad dev', 'link set up dev'])
    here(`${command} machine`);
  here('route add 224.0.0.0/4 dev machine');
  const appear = () => {
    home.ip(`address add ${homeAddress}/24 dev home`);
    home.ip('route add 224.0.0.0/4 dev home');
  };
  home.ip(`address add ${controlAddress}/64 nodad dev home`);
  home.ip('link set up dev home');
  appear();
  return {
    within: home.within,
    cut() {
      home.ip('route del 224.0.0.0/4 dev home');
      home.ip(`address del ${homeAddress}/24 dev home`);
    },
    restore: appear,
    remove: home.remove,
  };
}
