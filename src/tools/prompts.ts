import type { PromptDefinition } from '../core/tool.ts';

export const prompts: readonly PromptDefinition[] = [
  {
    name: 'diagnose_slowness',
    title: 'Why is this machine slow?',
    description: 'Finds out what is slowing the machine down',
    text: 'This machine feels slow. Call get_overview, then list_processes by cpu and by memory; look at get_module for disks, sensors and cpu where they may explain it. Name the most likely cause with its figures, and what can be done, mildest first. Change nothing.',
  },
  {
    name: 'health_report',
    title: 'Health report',
    description: 'A short report on the state of the machine',
    text: 'Write a short health report of this machine: call get_overview, then get_module for sensors, disks and battery where they exist. Say what is fine in one line and what is not in one line each, with figures and advice. Name modules that have no data, and why.',
  },
  {
    name: 'disk_cleanup_advice',
    title: 'Where did the disk space go?',
    description: 'Which disks are full, and what to look at',
    text: 'Advise on disk space: call get_module for disks. Say for each file system how full it is and whether that is a problem, and where on a system of this kind space is usually won back. Files cannot be seen or deleted from here: give commands that the user can run, and explain each.',
  },
  {
    name: 'network_audit',
    title: 'What talks to the network?',
    description: 'Listening ports and connections, by program',
    text: 'Audit the network of this machine: call list_connections with status LISTEN, then with ESTABLISHED. Say which programs listen on addresses reachable from elsewhere, which connect where, and what is unusual. Sockets without a process belong to other users: say so instead of guessing.',
  },
  {
    name: 'prepare_shutdown',
    title: 'Can this machine be shut down now?',
    description: 'What would be interrupted by a shutdown',
    text: 'The user wants to shut this machine down. Call get_overview, list_processes and list_connections, and say what would be interrupted: logged-in users, busy programs, transfers, media. Ask the user before you call power_action; the machine asks as well.',
  },
];
