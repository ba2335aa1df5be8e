import { findByName } from './contained.portable.ts';
import { servingFiles } from './contained.thread.ts';

export const serveByName = servingFiles(findByName);
