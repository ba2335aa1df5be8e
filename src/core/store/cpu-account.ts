/** Charges a thread's CPU time to the reads in progress. Their sum never exceeds what the thread has used. */
export interface CpuAccount {
  begin(): CpuCharge;
}

/** One read. Nothing else runs in the thread until it has ended or begun to wait. */
export interface CpuCharge {
  /** Milliseconds it used. For a read that waits: its own, and an even share of what the thread used while it and others waited. */
  end(): number;
  /** The read continues later; others run meanwhile. */
  wait(): void;
}

/** `cpu` is the thread's clock. It costs about a microsecond, so it is read no more often than needed. */
export function createCpuAccount(cpu: () => number): CpuAccount {
  let waiting = 0;
  /** The charge of a read that has waited since the start. */
  let share = 0;
  let countedTo = 0;

  const chargeWaiting = (): number => {
    const now = cpu();
    if (waiting > 0) share += (now - countedTo) / waiting;
    countedTo = now;
    return now;
  };

  return {
    begin() {
      const startedAt = chargeWaiting();
      let own = 0;
      let waitsFrom: number | null = null;
      let over = false;
      const endPiece = () => {
        countedTo = cpu();
        return countedTo - startedAt;
      };
      return {
        wait() {
          own = endPiece();
          waitsFrom = share;
          waiting += 1;
        },
        end() {
          if (over) return 0;
          over = true;
          if (waitsFrom === null) return endPiece();
          chargeWaiting();
          waiting -= 1;
          return own + share - waitsFrom;
        },
      };
    },
  };
}
