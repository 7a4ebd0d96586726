/** Source of the current time, which tests can control. Deadlines of calls and leases do not use it. */
export interface Clock {
  now: () => Date
}

export const systemClock: Clock = { now: () => new Date() }
