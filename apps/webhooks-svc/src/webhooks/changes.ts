import type { Clock } from '@reticle/kit/clock'
import type { SecretBox } from '@reticle/kit/secrets'
import type { Updateable } from 'kysely'
import type { WebhookRow, WebhooksTable } from '../db/schema.ts'
import type { Fields } from './check.ts'
import { isSecret, sealSecret } from './secret.ts'

const plain = ['target_url', 'description', 'is_active', 'enable_ssl'] as const

/**
 * What has to be written so that the row is as `fields` want it; nothing when it is so already. A change moves
 * `updated_date` on by a millisecond at least: it is the record's revision.
 */
export function changesOf(
  before: WebhookRow,
  { secret, events, ...fields }: Fields,
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

/** Now, and later than the last change in any case. */
function laterDate({ updated_date }: Pick<WebhookRow, 'updated_date'>, clock: Clock): Date {
  return new Date(Math.max(clock.now().getTime(), updated_date.getTime() + 1))
}

/** At once: the one before it does not sign any more. */
function secretChange(before: WebhookRow, secret: string, secrets: SecretBox) {
  if (isSecret(secrets, before, secret)) return {}
  const secret_sealed = secret === '' ? null : sealSecret(secrets, before.id, secret)
  return { secret_sealed, old_secret_sealed: null, old_secret_until_date: null }
}

/** Another secret, beside which the present one goes on signing for so many hours; nothing when it is that already. */
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

/** Another target, or one that is said to work again, is not suspected for earlier failures. */
function freshStart({ target_url, is_active }: Updateable<WebhooksTable>) {
  const isFresh = target_url !== undefined || is_active === true
  return isFresh ? { failure_streak: 0, failing_since_date: null, disabled_reason: null } : {}
}
