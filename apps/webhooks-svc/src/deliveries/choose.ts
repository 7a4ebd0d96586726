/** A due message, and the number of attempts that run for its webhook and organization. */
export interface Candidate {
  id: number
  webhook_id: number
  /** Consecutive failed attempts of the webhook. */
  failure_streak: number
  /** Organization of the webhook or of its project; null: none. */
  organization_id: number | null
  webhook_running: number
  organization_running: number
}

/** Maximum numbers of concurrent attempts. */
export const limits = { process: 200, organization: 50, webhook: 10, suspectedWebhook: 1 } as const
const suspectedFrom = 5 // consecutive failures

/**
 * Returns the ids of the messages to try now. Each round takes one message per webhook, so that a long queue delays
 * only its own webhook. The first round starts after the webhook that was served last.
 *
 * @param free number of attempts that may start
 * @param after id of the webhook that was served last
 */
export function chooseMessages(
  candidates: readonly Candidate[],
  free: number,
  after: number,
): number[] {
  const rounds = new Map<number, number>()
  const queue = candidates
    .map((one) => ({ one, round: countUp(rounds, one.webhook_id) }))
    .filter(({ one, round }) => one.webhook_running + round < limitFor(one))
    .sort((a, b) => a.round - b.round || order(a.one, b.one, after))
  const organizations = new Map<number, number>()
  const isWithin = ({ organization_id, organization_running }: Candidate) =>
    organization_id === null ||
    organization_running + countUp(organizations, organization_id) < limits.organization
  const fitting = queue.filter(({ one }) => isWithin(one))
  return fitting.slice(0, free).map(({ one }) => one.id)
}

/** Increments the count of an id and returns the count before. */
function countUp(counts: Map<number, number>, id: number): number {
  const before = counts.get(id) ?? 0
  counts.set(id, before + 1)
  return before
}

/** A webhook that keeps failing gets one message at a time until a delivery succeeds. */
function limitFor({ failure_streak }: Candidate): number {
  return failure_streak >= suspectedFrom ? limits.suspectedWebhook : limits.webhook
}

/** Orders webhooks by running attempts, then by id in a cycle that starts after `after`. */
function order(a: Candidate, b: Candidate, after: number): number {
  const isBehind = ({ webhook_id }: Candidate) => Number(webhook_id <= after)
  return (
    a.webhook_running - b.webhook_running ||
    isBehind(a) - isBehind(b) ||
    a.webhook_id - b.webhook_id
  )
}
