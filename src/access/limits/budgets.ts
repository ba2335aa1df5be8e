/**
 * All budgets in one place: for clients without a token, for one caller (a token), and for all together. Every transport takes its limits
 * from here. docs/security.md has the threat model and a table of limits, which test/security-limits.test.ts compares with the code.
 */
export const budgets = {
  /** Clients without a valid token. An address is an IPv4 address, or an IPv6 network of 64 bits. */
  unauthenticated: {
    /**
     * WebSocket connections that have not shown a token. The runtime buffers an unfinished frame of each, up to `frameBytes`, and does not report it:
     * only their number bounds that memory. A network may hold as many places as are free.
     */
    places: 48,
    /** Upgrade requests that wait for a place, for example when all clients reconnect after a restart. */
    waiting: { most: 512, ms: 10_000 },
    /** A holder keeps its place at least this long, even if others wait. */
    minimumHoldMs: 1000,
    tokenWithinMs: 10_000,
    /** A message that comes before a valid token, in characters. */
    messageLength: 32 * 1024,
    /** Messages and control frames before a valid token: few clients send more than one wrong one. */
    messages: 32,
    /** WebSocket connections that end without having shown a token, for each address: so many, and then so many a second. */
    wasted: { burst: 32, perSecond: 4 },
    /** All of it within this time, however slowly it trickles. */
    bodyWithinMs: 5000,
    bodyBytes: 4 * 1024,
    /** One-time codes whose request is still on its way. */
    logins: { inAll: 16, perAddress: 8 },
    /** Wrong secrets that are looked at, for each address. */
    wrongSecrets: { allowed: 10, windowMs: 60_000, addresses: 4096 },
    /**
     * Requests without a valid token in one turn of the event loop. At least `free` of them are answered, however slow the machine is. Then an address is
     * refused once it had `perAddress` and the turn lasted `ms`, and after its first one once the turn lasted `msInAll`.
     */
    turn: { free: 32, perAddress: 16, ms: 8, msInAll: 40 },
    /** Asking for access. What they can spend most of is the attention of the user. */
    pairing: {
      /** Requests whose bodies are still on their way; apart from those of logins, so that neither keeps the other out. */
      bodies: { inAll: 16, perAddress: 8 },
      /** An attempt that was begun, which costs us no memory. */
      begunMs: 60_000,
      /** One question at a time, and no longer than this on the screen. */
      questionMs: 120_000,
      /** Whoever has not asked for the answer for so long has left: the question goes off the screen. */
      absentMs: 20_000,
      /** What was allowed has to be fetched within this time. */
      fetchMs: 30_000,
      /** Answers that wait for those who asked. */
      answers: 8,
      /**
       * After a question that was denied, withdrawn or not answered: 30 s, one minute, two … an hour for the same address; for all together after
       * two of them 30 s … 15 minutes. So a user who never agrees is asked seven times in the first hour by one address, and ten times by many.
       */
      pauses: {
        perAsker: { free: 0, firstMs: 30_000, mostMs: 3600_000, forgiveMs: 1800_000 },
        overall: { free: 2, firstMs: 30_000, mostMs: 900_000, forgiveMs: 600_000 },
        most: 1024,
      },
      /** A printed code: looked at so often in all, and for each address as often as `wrongSecrets` says. */
      code: { lifeMs: 120_000, tries: 2000 },
    },
  },
  /** One token, whatever it may do. */
  caller: {
    sockets: 1024,
    bodyBytes: 256 * 1024,
    /** Requests of one connection that are being answered. Those for data wait for one and the same read. */
    busy: { data: 1024, action: 64 },
    /** Pings, and pongs without a ping of ours, of one connection in a second; clients send about one in 20 s. */
    controlFrames: 100,
    /**
     * HTTP requests of one token in a turn of the event loop that has lasted too long for requests without a token. At least `free` are answered, and
     * more within `ms`. Then a connection that pipelines is closed, and each other one has its request answered in a later turn: at most
     * `waiting` of one token, and `waitingInAll` together, in slices of `ms`.
     */
    turn: { free: 64, ms: 8, waiting: 256, waitingInAll: 1024 },
    /** Messages of one connection that came faster than they can be answered. */
    waitingMessages: 16_384,
    /** Answers that may wait for one connection, in characters. */
    waitingAnswers: 4 * 1024 * 1024,
    /** Directories that are being listed, or wait for it; the same one twice counts once. */
    listings: 8,
    /** Questions about the past that are being answered, or wait for it. */
    histories: 8,
    /** Pictures of the screen: how many at once, and then how many a second; and those that are being taken, or wait for it. */
    pictures: { rate: { burst: 5, perSecond: 2 }, waiting: 3 },
    /**
     * Messages of an agent, before anything is looked at but its token: for each the kernel is asked whose process it is, which takes the longer
     * the more connections there are. A client that reads everything at its start sends some thirty.
     */
    messages: { burst: 1000, perSecond: 40 },
    /** Calls of an agent: so many at once, and then so many a second. */
    calls: { burst: 20, perSecond: 10 },
    /** Browsers that sign in with one token: each is written to the disk before it is answered. */
    signIns: { burst: 20, perSecond: 0.5 },
    /** Streams of updates of an agent. */
    streams: 16,
  },
  /** All of them together. */
  all: {
    /**
     * Connections other than WebSockets with a token: at most this many, and at most this share of the descriptors. One address gets half of them. Each
     * can leave about 100 KB of an answer unread.
     */
    connections: { most: 768, shareOfDescriptors: 0.4, perAddressShare: 0.5 },
    /** Above this resident memory, connections that hold memory are closed. */
    memoryBytes: 96 * 1024 * 1024,
    /** When memory is short, a connection that read nothing of its answer for this long is closed. */
    unreadMs: 1000,
    sockets: 8192,
    /** A frame that a client sends. */
    frameBytes: 1024 * 1024,
    /** Frames that have begun and are not finished. */
    unfinishedBytes: 32 * 1024 * 1024,
    /** Messages that wait for their turn, in characters. */
    waitingMessages: 16 * 1024 * 1024,
    /** Long answers and updates that nobody reads. */
    unreadBytes: 64 * 1024 * 1024,
    listings: 32,
    histories: 32,
    pictures: 8,
    /** Bodies longer than those of most actions that are being received. */
    longBodies: 4,
    /** Messages of all agents together. */
    messages: { burst: 1500, perSecond: 120 },
    /** Conversations of agents in the older protocol, and streams in both. */
    agentSessions: 32,
    streams: 64,
    /** What waits for a stream's reader. */
    streamBytes: 1024 * 1024,
    /** Others have their turn after this long, however many listen. */
    turnMs: 8,
  },
} as const;

export type Budgets = typeof budgets;

/** One subscriber has at least 64 bits of IPv6 addresses to choose from. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':');
  if (tail === undefined) return groups.slice(0, 4).join(':');
  return [...groups, '0', '0', '0', '0'].slice(0, 4).join(':');
}
