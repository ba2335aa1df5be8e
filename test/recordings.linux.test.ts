import path from 'node:path';
import { modules } from '../src/features/index.ts';
import { testEachRecording } from './harness/machines.ts';

testEachRecording(path.join(import.meta.dirname, 'recordings'), modules);
