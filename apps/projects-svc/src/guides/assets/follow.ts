import { randomUUID } from 'node:crypto'
import type { Principal } from '@reticle/contracts/rest/principal'
import { hasPermission } from '@reticle/kit/call/policy'
import type { Transaction } from 'kysely'
import type { ProjectsDb } from '../../db/schema.ts'
import { guideRules } from '../policy.ts'
import { assetsIn, withAssets } from '../references.ts'
import { guideStanding } from '../standing.ts'
import { deleteOtherAssets, insertAssets, listAssetsElsewhere } from './repo.ts'
import { lockLive } from './repo-objects.ts'

type Tx = Transaction<ProjectsDb>

/**
 * Copies or deletes assets when the text of a guide is saved. Assets of other guides that the caller may view are
 * copied into this guide; assets of this guide that the text does not reference are deleted. All other references
 * stay unchanged (`docs/spec/workspace.md#assets`).
 *
 * @returns the text, with references to the copies
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
 * Copies only the rows: a copy shares the stored object of its source, which never changes. The lock keeps the object
 * while another transaction deletes the source.
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
    hasPermission(guideRules, 'view:assets', principal, guideStanding(principal, one)),
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
