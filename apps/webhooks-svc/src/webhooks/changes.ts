import type { Clock } from '@reticle/kit/scheduling/clock'
import type { SecretBox } from '@reticle/kit/settings/secrets'
import type { Updateable } from 'kysely'
import type { WebhookRow, WebhooksTable } from '../db/schema.ts'
import type { WebhookFields } from './check.ts'
import { isSecret, sealSecret } from './secret.ts'

const plain = ['target_url', 'description', 'is_active', 'enable_ssl', 'dialect'] as const

/**
 * Returns the column changes that `fields` require; undefined when nothing changes. A change increases `updated_date`
 * by at least a millisecond, because it is the revision of the record.
 */
export function changesOf(
  before: WebhookRow,
  { secret, events, ...fields }: WebhookFields,
  { clock, secrets }: { clock: Clock; secrets: SecretBox },
): Updateable<WebhooksTable> | undefined {
  const changed = plain.filter((key) => fields[key] !== undefined && fields[key] !== before[key])
  const isOther = events !== undefined && events.join() !== before.events.join()
  const changes: Updateable<WebhooksTable> = {
    ...Object.fromEntries(changed.map((key) => [key, fields[key]])),
    ...(isOther && { events }),
    ...(secret !== undefined && secretChange(before, secret, secrets)),
  }
  if (Object.keys(changes).length === 0) return undefined
  return { ...changes, ...freshStart(changes), updated_date: laterDate(before, clock) }
}

/** Returns the current time, or a millisecond after the last change if that is later. */
function laterDate({ updated_date }: Pick<WebhookRow, 'updated_date'>, clock: Clock): Date {
  return new Date(Math.max(clock.now().getTime(), updated_date.getTime() + 1))
}

/** Replaces the secret at once: the old one no longer signs. */
function secretChange(before: WebhookRow, secret: string, secrets: SecretBox) {
  if (isSecret(secrets, before, secret)) return {}
  const secret_sealed = secret === '' ? null : sealSecret(secrets, before.id, secret)
  return { secret_sealed, old_secret_sealed: null, old_secret_until_date: null }
}

/**
 * Returns the changes that set a new secret while the old one keeps signing for `overlap_hours`; undefined when the
 * secret is the same.
 */
export function rotationOf(
  before: WebhookRow,
  { secret, overlap_hours }: { secret: string; overlap_hours: number },
  { clock, secrets }: { clock: Clock; secrets: SecretBox },
): Updateable<WebhooksTable> | undefined {
  if (isSecret(secrets, before, secret)) return undefined
  const until = new Date(clock.now().getTime() + overlap_hours * 3_600_000)
  const hasOverlap = overlap_hours > 0 && before.secret_sealed !== null
  return {
    secret_sealed: sealSecret(secrets, before.id, secret),
    old_secret_sealed: hasOverlap ? before.secret_sealed : null,
    old_secret_until_date: hasOverlap ? until : null,
    updated_date: laterDate(before, clock),
  }
}

/** A new target, or a webhook that is enabled again, starts without earlier failures. */
function freshStart({ target_url, is_active }: Updateable<WebhooksTable>) {
  const isFresh = target_url !== undefined || is_active === true
  return isFresh ? { failure_streak: 0, failing_since_date: null, disabled_reason: null } : {}
}
