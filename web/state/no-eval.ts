import { z } from 'zod';

// Loaded before any schema: the page may make no code from text, and the library would try to.
z.config({ jitless: true });
