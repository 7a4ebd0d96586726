/** The time as a port, so that tests can turn it. Deadlines of calls and leases do not go through it. */
export interface Clock {
  now: () => Date
}

export const systemClock: Clock = { now: () => new Date() }
