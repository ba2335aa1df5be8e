import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadJob } from '../../lib/thread.ts';

/** What threads are started for. All of them begin in this file, so that the compiled service carries one entry for them. */
const jobs: Record<string, () => Promise<ThreadJob>> = {
  certificates: async () => (await import('../../access/tls/certificates.thread.ts')).issueInThread,
  'windows-native': async () => (await import('../../host/windows/native.thread.ts')).answerNative,
  'windows-messages': async () => (await import('../../host/windows/messages.thread.ts')).hearMessages,
  'windows-tray': async () => (await import('../tray/windows/tray.thread.ts')).showTrayIcon,
  picture: async () => (await import('../../features/screen/pictures/picture.thread.ts')).encodeInThread,
  module: async () => (await import('./module-thread.ts')).readModuleInThread,
  contained: async () => (await import('../../host/linux/storage/contained.thread.ts')).serveContained,
  'contained-by-name': async () => (await import('../../host/contained/contained.portable.thread.ts')).serveByName,
  journal: async () => (await import('../../features/services/linux/journal.thread.ts')).serveJournal,
  monitors: async () => (await import('../../features/displays/linux/monitors.thread.ts')).askMonitorsInThread,
  drives: async () => (await import('../../features/disks/linux/drive-commands.thread.ts')).askDrivesInThread,
  space: async () => (await import('../../host/linux/storage/volumes.thread.ts')).serveSpace,
};

const { job, data } = workerData as { job: string; data: unknown };
const load = jobs[job];
if (parentPort === null || load === undefined) throw new Error(`there is no job ${job} for a thread`);

const port = parentPort;
// Messages wait in the port until somebody listens to it.
const side = await (await load())((message, transfer = []) => port.postMessage(message, transfer), data);
port.on('message', async (order: { message: unknown } | { end: true }) => {
  if ('message' in order) return await side.receive(order.message);
  side.end?.();
  port.close();
});
