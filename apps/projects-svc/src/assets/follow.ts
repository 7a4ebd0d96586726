import { randomUUID } from 'node:crypto'
import type { Principal } from '@reticle/contracts/principal'
import { permits } from '@reticle/kit/policy'
import type { Transaction } from 'kysely'
import type { ProjectsDb } from '../db/schema.ts'
import { guideRules } from '../guides/policy.ts'
import { assetsIn, withAssets } from '../guides/references.ts'
import { guideStanding } from '../guides/standing.ts'
import { lockLive } from '../objects/repo.ts'
import { deleteOtherAssets, insertAssets, listAssetsElsewhere } from './repo.ts'

type Tx = Transaction<ProjectsDb>

/**
 * What saving a text does to the assets of its guide (`spec/api-workspace.md` 5.3): those of other guides which the caller
 * may view are copied, its own that the text does not refer to go. References to anything else stay as they are.
 *
 * @returns the text, with copies in the place of what they are copies of
 */
export async function followMarkdown(
  tx: Tx,
  principal: Principal,
  guide_id: number,
  markdown: string,
): Promise<string> {
  const named = assetsIn(markdown)
  const copies = await copyAssets(tx, principal, guide_id, named)
  await deleteOtherAssets(tx, guide_id, [...named, ...copies.values()])
  return withAssets(markdown, copies)
}

/**
 * A copy has the object of the first one, which never changes: no bytes are moved. Who deletes the other meanwhile does not
 * take its object away.
 */
async function copyAssets(
  tx: Tx,
  principal: Principal,
  guide_id: number,
  named: readonly string[],
): Promise<Map<string, string>> {
  const { user_id } = principal
  const elsewhere = await listAssetsElsewhere(tx, guide_id, named, user_id)
  const seen = elsewhere.filter((one) =>
    permits(guideRules, 'view:assets', principal, guideStanding(principal, one)),
  )
  const live = await lockLive(
    tx,
    seen.map(({ key }) => key),
  )
  const copied = seen.filter(({ key }) => live.has(key)).map((one) => ({ one, uuid: randomUUID() }))
  const rows = copied.map(({ uuid, one: { filename, media_type, size, key } }) => {
    return { uuid, guide_id, owner_id: user_id, filename, media_type, size, key }
  })
  await insertAssets(tx, rows)
  return new Map(copied.map(({ one, uuid }) => [one.uuid, uuid]))
}
