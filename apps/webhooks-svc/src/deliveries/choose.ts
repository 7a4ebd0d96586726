/** A message whose time has come, and what is under way beside it. */
export interface Candidate {
  id: number
  webhook_id: number
  /** Failed attempts of the webhook in a row. */
  failure_streak: number
  /** Its own, or that of its project; null: none. */
  organization_id: number | null
  webhook_running: number
  organization_running: number
}

/** Attempts under way at once (`reliability.md` 7.2). */
export const limits = { process: 200, organization: 50, webhook: 10, suspectedWebhook: 1 } as const
const suspectedFrom = 5 // failures in a row

/**
 * Picks ids to try now: round after round one of each webhook, so that a long queue delays only itself. The first round
 * begins behind the webhook that was served last.
 *
 * @param free attempts that may start
 */
export function choose(candidates: readonly Candidate[], free: number, after: number): number[] {
  const rounds = new Map<number, number>()
  const queue = candidates
    .map((one) => ({ one, round: countUp(rounds, one.webhook_id) }))
    .filter(({ one, round }) => one.webhook_running + round < roomOf(one))
    .sort((a, b) => a.round - b.round || order(a.one, b.one, after))
  const organizations = new Map<number, number>()
  const isWithin = ({ organization_id, organization_running }: Candidate) =>
    organization_id === null ||
    organization_running + countUp(organizations, organization_id) < limits.organization
  const fitting = queue.filter(({ one }) => isWithin(one))
  return fitting.slice(0, free).map(({ one }) => one.id)
}

/** Counts one more and answers how many there were before. */
function countUp(counts: Map<number, number>, id: number): number {
  const before = counts.get(id) ?? 0
  counts.set(id, before + 1)
  return before
}

/** A webhook that fails again and again is tried with one message at a time, until one gets through. */
function roomOf({ failure_streak }: Candidate): number {
  return failure_streak >= suspectedFrom ? limits.suspectedWebhook : limits.webhook
}

/** Webhooks with less under way come first, then those behind `after` in the ring of ids. */
function order(a: Candidate, b: Candidate, after: number): number {
  const isBehind = ({ webhook_id }: Candidate) => Number(webhook_id <= after)
  return (
    a.webhook_running - b.webhook_running ||
    isBehind(a) - isBehind(b) ||
    a.webhook_id - b.webhook_id
  )
}
