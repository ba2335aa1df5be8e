import { expect, test } from 'bun:test';
import { sampleGpus } from './processes.gpus.ts';

test('a second sample reads only the descriptors of GPUs, and of a process with very many files only the first', () => {
  const read: string[] = [];
  const files = {
    link(path: string) {
      read.push(path);
      if (path.endsWith('/fd/7')) return '/dev/dri/renderD128';
      return path.endsWith('/fd/9') ? '/dev/nvidia0' : 'socket:[1]';
    },
    text: () => 'drm-driver:\ti915\ndrm-client-id:\t5\ndrm-pdev:\t0000:00:02.0\ndrm-engine-render:\t100 ns\n',
  };
  const descriptors = Array.from({ length: 5000 }, (_, index) => String(index));
  const first = sampleGpus(files, 4711, descriptors);
  expect(read).toHaveLength(1024);
  expect(first).toMatchObject({ hasOthers: true, descriptors: ['7', '9'] });
  expect([...first.clients.keys()]).toEqual(['0000:00:02.0 5']);
  read.length = 0;
  expect(sampleGpus(files, 4711, first.descriptors)).toEqual(first);
  expect(read).toEqual(['/proc/4711/fd/7', '/proc/4711/fd/9']);
});
