import { parentPort, workerData } from 'node:worker_threads';
import type { Feature } from '../../core/feature.ts';
import { type ThreadJob, type ThreadSide, threadIsFree } from '../../lib/thread.ts';

/**
 * Jobs of the host, of access and of the application. A job whose name has a dot belongs to a feature. All threads start in this file, so
 * that the compiled service has one entry for them.
 */
const jobs: Record<string, () => Promise<ThreadJob>> = {
  certificates: async () => (await import('../../access/tls/certificates.thread.ts')).issueInThread,
  'windows-native': async () => {
    const { serveNative } = await import('../../host/windows/native.thread.ts');
    return serveNative(findLibrary);
  },
  'windows-messages': async () => (await import('../../host/windows/messages.thread.ts')).receiveMessages,
  'windows-tray': async () => (await import('../tray/windows/tray.thread.ts')).showTrayIcon,
  module: async () => (await import('./module-thread.ts')).readModuleInThread,
  closing: async () => (await import('../../host/linux/login/closing.thread.ts')).closeInThread,
  contained: async () => (await import('../../host/linux/storage/contained.thread.ts')).serveContained,
  'contained-by-name': async () => (await import('../../host/contained/contained.portable.thread.ts')).serveByName,
  space: async () => (await import('../../host/linux/storage/volumes.thread.ts')).serveSpace,
};

/** Native libraries of the application; the others are those of features. */
const libraries: Feature['libraries'] = {
  dialogs: async () => (await import('../prompts/dialogs.windows.ts')).dialogsLibrary,
  taskschd: async () => (await import('../installation/windows/taskschd.ts')).taskschdLibrary,
  netfw: async () => (await import('../installation/windows/netfw.ts')).netfwLibrary,
};

if (parentPort === null) throw new Error('this is not a thread');
const port = parentPort;
const first = workerData as JobOrder;
// Messages wait in the port until it has a listener.
const current: { side: ThreadSide | Promise<ThreadSide> } = { side: await begin(first) };
port.on('message', async (order: { message: unknown } | JobOrder | { end: true } | { free: true }) => {
  if ('message' in order) return await (await current.side).receive(order.message);
  if ('job' in order) {
    current.side = begin(order);
    return void (await current.side);
  }
  (await current.side).end?.();
  if ('end' in order) port.close();
  else port.postMessage(threadIsFree);
});

interface JobOrder {
  job: string;
  data: unknown;
}

async function begin({ job, data }: JobOrder): Promise<ThreadSide> {
  const load = jobs[job] ?? (job.includes('.') ? await findInFeatures(({ threads }) => threads[job]) : undefined);
  if (load === undefined) throw new Error(`there is no job ${job} for a thread`);
  return await (await load())((message, transfer = []) => port.postMessage(message, transfer), data);
}

async function findLibrary(name: string) {
  const find = libraries[name] ?? (await findInFeatures((feature) => feature.libraries[name]));
  if (find === undefined) throw new Error(`there is no native library ${name}`);
  return await find();
}

async function findInFeatures<T>(find: (feature: Feature) => T | undefined): Promise<T | undefined> {
  const { features } = await import('../../features/index.ts');
  return features.map(find).find((found) => found !== undefined);
}
