import path from 'node:path';
import { modules } from '../src/features/index-merge.ts';
import { testEachRecording } from './harness/machines.ts';

testEachRecording(path.join(import.meta.dirname, 'recordings'), modules);
