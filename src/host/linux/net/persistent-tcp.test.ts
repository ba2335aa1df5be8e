import { testStreams } from '../../../../test/harness/streams.ts';
import { openQuietly } from './persistent-tcp.ts';

testStreams(openQuietly);
