import { testStreams } from '../../test/harness/streams.ts';
import { openStream } from './outgoing.ts';

testStreams(openStream);
