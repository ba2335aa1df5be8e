import { gauge, type Metric } from '../../../core/readings/metrics.ts';
import type { Files } from '../../../host/linux/files.ts';

const directory = '/sys/class/net';

/** Interfaces made of several others. https://docs.kernel.org/networking/bonding.html */
export function bondMetrics(files: Files): Metric[] {
  const masters = words(files.text(`${directory}/bonding_masters`));
  if (masters.length === 0) return [];
  const bonds = masters.map((master) => {
    const slaves = words(files.text(`${directory}/${master}/bonding/slaves`));
    const active = slaves.filter((slave) => isUp(files, master, slave)).length;
    return { master, slaves: slaves.length, active };
  });
  return [
    gauge(
      'node_bonding_slaves',
      'Interfaces that a bond consists of',
      bonds.map(({ master, slaves }) => [{ master }, slaves]),
    ),
    gauge(
      'node_bonding_active',
      'Interfaces of a bond that have a link',
      bonds.map(({ master, active }) => [{ master }, active]),
    ),
  ];
}

function isUp(files: Files, master: string, slave: string): boolean {
  const place = `${directory}/${master}/lower_${slave}/bonding_slave/mii_status`;
  return (files.text(place) ?? files.text(`${directory}/${slave}/bonding_slave/mii_status`))?.trim() === 'up';
}

const words = (text: string | null) => (text ?? '').split(/\s+/).filter((word) => word !== '');
