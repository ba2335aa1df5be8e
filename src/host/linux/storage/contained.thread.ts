import { servingFiles } from '../../contained/contained.thread.ts';
import { findByDescriptor } from './contained.descriptors.ts';

export const serveContained = servingFiles(findByDescriptor);
