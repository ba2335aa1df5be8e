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
    /** For processes of our own user, when the places above are taken. It is one network, which gets half of them. */
    ownUser: { places: 16, waiting: { most: 512, ms: 10_000 }, minimumHoldMs: 1000 },
    /** A holder keeps its place at least this long, even if others wait. */
    minimumHoldMs: 1000,
    tokenWithinMs: 10_000,
    /** A message that comes before a valid token, in characters. */
    messageLength: 32 * 1024,
    /** Messages and control frames before a valid token: few clients send more than one wrong one. */
    messages: 32,
    /** WebSocket connections that end without a valid token, per address: a burst, then a rate per second. */
    wasted: { burst: 32, perSecond: 4 },
    /** Time for the whole request, however slowly it arrives. */
    bodyWithinMs: 5000,
    bodyBytes: 4 * 1024,
    /** Long responses that they have not read, such as the API documents, in characters: half of what is free for an address. */
    unreadBytes: 16 * 1024 * 1024,
    /** Wrong secrets that are checked, per address. */
    wrongSecrets: { allowed: 10, windowMs: 60_000, addresses: 4096 },
    /**
     * Requests without a valid token in one turn of the event loop. At least `free` of them are answered, however slow the machine is. Then an address is
     * refused once it had `perAddress` and the turn lasted `ms`, and after its first one once the turn lasted `msInAll`.
     */
    turn: { free: 32, perAddress: 16, ms: 8, msInAll: 40 },
    /** Pairing. The scarcest resource is the attention of the user. */
    pairing: {
      /** Lifetime of an attempt, which takes no memory. */
      begunMs: 60_000,
      /** One prompt at a time, shown no longer than this. */
      promptMs: 120_000,
      /** A client that has not polled for this long has left: the prompt is closed. */
      absentMs: 20_000,
      /** A grant has to be fetched within this time. */
      fetchMs: 30_000,
      /** Outcomes that wait to be fetched. */
      outcomes: 8,
      /**
       * After a prompt that was denied, withdrawn or not answered: 30 s, one minute, two … an hour for the same address; for all together after
       * two of them 30 s … 15 minutes. So a user who never agrees is asked seven times in the first hour by one address, and ten times by many.
       */
      pauses: {
        perAsker: { free: 0, firstMs: 30_000, mostMs: 3600_000, forgiveMs: 1800_000 },
        overall: { free: 2, firstMs: 30_000, mostMs: 900_000, forgiveMs: 600_000 },
        most: 1024,
      },
      /** Attempts with a printed code in all; per address `wrongSecrets` applies. */
      code: { lifeMs: 120_000, tries: 2000 },
    },
    /** OAuth of agents. Registered clients take no memory; prompts are those of pairing. */
    oauth: {
      /** Registrations of an address: a burst, then a rate per second. */
      registrations: { burst: 10, perSecond: 0.05 },
      /** Requests for tokens and revocations of an address. */
      requests: { burst: 30, perSecond: 1 },
      /** Lifetime of an authorisation code, and codes in all. */
      codeMs: 60_000,
      codes: 32,
    },
  },
  /** One token, whatever its scopes. */
  caller: {
    sockets: 1024,
    bodyBytes: 256 * 1024,
    /** Concurrent requests of one connection. Requests for data share one read. */
    busy: { data: 1024, action: 64 },
    /** Pings, and pongs without a ping of ours, of one connection in a second; clients send about one in 20 s. */
    controlFrames: 100,
    /**
     * HTTP requests of one token in a turn of the event loop that has lasted too long for requests without a token. At least `free` are answered, and
     * more within `ms`. Then a connection that pipelines is closed, and each other one has its request answered in a later turn: at most
     * `waiting` of one token, and `waitingInAll` together, in slices of `ms`.
     */
    turn: { free: 64, ms: 8, waiting: 256, waitingInAll: 1024 },
    /** Queued messages of one connection. */
    waitingMessages: 16_384,
    /** Queued responses of one connection, in characters. */
    waitingAnswers: 4 * 1024 * 1024,
    /** Directory listings, running or queued; the same directory counts once. */
    listings: 8,
    /** History queries, running or queued. */
    histories: 8,
    /** Screenshots: a burst, then a rate per second; and those running or queued. */
    pictures: { rate: { burst: 5, perSecond: 2 }, waiting: 3 },
    /**
     * Notifications: a burst, then a rate per second. Above `shown` on the screen, or above `bytes` of pictures and sounds in their files, the oldest
     * one of the same token is closed.
     */
    notifications: { rate: { burst: 30, perSecond: 1 }, shown: 20, bytes: 4 * 1024 * 1024 },
    /** Addresses and files that are opened on the desktop: a burst, then a rate per second. Each starts a program. */
    openings: { burst: 10, perSecond: 0.5 },
    /**
     * Messages of an agent, checked right after its token: each costs a kernel lookup of the owning process, which is slower with more connections.
     * A client that reads everything at its start sends about thirty.
     */
    messages: { burst: 1000, perSecond: 40 },
    /** Calls of an agent: a burst, then a rate per second. */
    calls: { burst: 20, perSecond: 10 },
    /** Sign-ins of browsers with one token: each is written to the disk before the response. */
    signIns: { burst: 20, perSecond: 0.5 },
    /** Refreshes of a grant of OAuth, which are written as well. One an hour is needed. */
    refreshes: { burst: 10, perSecond: 0.05 },
    /** Update streams of an agent. */
    streams: 16,
  },
  /** All of them together. */
  all: {
    /**
     * Connections other than WebSockets with a token: at most this many, and at most this share of the descriptors. One address gets half of them. Each
     * can leave about 100 KB of a response unread.
     */
    connections: { most: 768, shareOfDescriptors: 0.4, perAddressShare: 0.5 },
    /** Above this resident memory, connections that hold memory are closed. */
    memoryBytes: 96 * 1024 * 1024,
    /** When memory is short, a connection that read nothing of its response for this long is closed. */
    unreadMs: 1000,
    sockets: 8192,
    /** A frame that a client sends. */
    frameBytes: 1024 * 1024,
    /** Unfinished frames. */
    unfinishedBytes: 32 * 1024 * 1024,
    /** Queued messages, in characters. */
    waitingMessages: 16 * 1024 * 1024,
    /** Responses and updates that clients have not read, in characters: half of what is free for a token. Short responses over HTTP do not count. */
    unreadBytes: 64 * 1024 * 1024,
    /** Running actions, half of them for a token; each may hold its input. */
    actions: 128,
    listings: 32,
    histories: 32,
    pictures: 8,
    /** Long request bodies that are being received, half of them for a token. */
    longBodies: 4,
    /** Messages of all agents together. */
    messages: { burst: 1500, perSecond: 120 },
    /** Sessions of agents in the older protocol, and streams in both. */
    agentSessions: 32,
    streams: 64,
    /** Unread data of a stream. */
    streamBytes: 1024 * 1024,
    /** The fan-out yields after this long, however many clients listen. */
    turnMs: 8,
  },
} as const;

export type Budgets = typeof budgets;

/** One subscriber has at least 64 bits of IPv6 addresses to choose from. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address;
  const [head = [], tail = []] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0');
  return [...head, ...zeros, ...tail].slice(0, 4).join(':');
}
