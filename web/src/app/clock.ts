/** Time as the page's rules use it: a test puts its own in this one's place. */
export interface Clock {
  /** Milliseconds that only grow. */
  now: () => number;
  /** Calls once, that many milliseconds from now; what it gives takes the call back. */
  after: (milliseconds: number, call: () => void) => () => void;
}

export const realClock: Clock = {
  now: () => performance.now(),
  after: (milliseconds, call) => {
    const timer = setTimeout(call, milliseconds);
    return () => {
      clearTimeout(timer);
    };
  },
};
