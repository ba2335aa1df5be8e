import { testStreams } from '../../../../test/harness/streams.ts';
import { openQuietly } from './quiet-tcp.ts';

testStreams(openQuietly);
