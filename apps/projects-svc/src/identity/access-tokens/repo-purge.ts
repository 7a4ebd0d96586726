import type { IdentityDeps } from '../deps.ts'
import { whereUsable } from './repo.ts'

const keptMs = 90 * 86_400_000

/** Deletes tokens that have been unusable for 90 days. */
export async function purgeAccessTokens({
  db,
  clock,
  settings,
}: Pick<IdentityDeps, 'db' | 'clock' | 'settings'>): Promise<void> {
  const limit = new Date(clock.now().getTime() - keptMs)
  const then = { now: limit, staleDays: settings.accessTokenStaleDays }
  await db
    .deleteFrom('access_tokens')
    .where((eb) => eb.not(whereUsable(then)(eb)))
    .where((eb) => eb.or([eb('revoked_date', 'is', null), eb('revoked_date', '<', limit)]))
    .execute()
}
