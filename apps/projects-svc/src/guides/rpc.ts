import type { guides } from '@reticle/contracts/api/guides'
import type { Guide, GuideCreate } from '@reticle/contracts/rest/guides'
import type { Principal } from '@reticle/contracts/rest/principal'
import { conflict, invalid, notFound, type Service, signedIn } from '@reticle/kit'
import { assertMatches } from '@reticle/kit/call/etag'
import { assertPermitted } from '@reticle/kit/call/policy'
import { runChange } from '@reticle/kit/db/change'
import type { Kysely, Transaction } from 'kysely'
import { ownerOf } from '../access/owner.ts'
import { allowPatch } from '../access/patch-rights.ts'
import { findFacts } from '../access/repo-facts.ts'
import { noSuchObject } from '../bodies/field-error.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { followMarkdown } from './assets/follow.ts'
import { toGuide } from './messages.ts'
import { guideRules } from './policy.ts'
import { assetsIn, mostAssets } from './references.ts'
import {
  deleteGuide,
  findGuide,
  type GuideView,
  hasGuide,
  insertGuide,
  updateGuide,
} from './repo.ts'
import { guideStanding } from './standing.ts'
import {
  type GuideTarget,
  lockTarget,
  readTarget,
  touchTarget,
  touchTargetAndJobs,
} from './target.ts'

type Tx = Transaction<ProjectsDb>
type Handlers = Pick<
  Service<typeof guides>,
  'createGuide' | 'getGuide' | 'updateGuide' | 'deleteGuide'
>

/** Builds the handlers of the guides of projects and tasks. */
export function guideHandlers({ db }: { db: Kysely<ProjectsDb> }): Handlers {
  return {
    async createGuide({ body }, context) {
      const principal = signedIn(context)
      return runChange(db, context, (tx) => create(tx, principal, body))
    },

    async getGuide({ id }, context) {
      const principal = signedIn(context)
      const row = await findGuide(db, id, principal.user_id)
      if (!row) throw notFound()
      assertPermitted(guideRules, 'view', principal, guideStanding(principal, row))
      return toGuide(row)
    },

    async updateGuide({ id, body: { markdown }, if_match }, context) {
      const principal = signedIn(context)
      return runChange(db, context, async (tx) => {
        const { row, target } = await lockedGuide(tx, id, principal)
        const standing = guideStanding(principal, row)
        allowPatch(guideRules, { markdown: 'update' }, { markdown }, principal, standing)
        if (markdown !== undefined) checkAssets(markdown)
        assertMatches(if_match, row)
        if (markdown === undefined) return toGuide(row)
        const saved = await followMarkdown(tx, principal, id, markdown)
        if (saved === row.markdown) return toGuide(row)
        const changed = await updateGuide(tx, id, saved)
        await touchTarget(tx, target)
        return toGuide(changed)
      })
    },

    async deleteGuide({ id, if_match }, context) {
      const principal = signedIn(context)
      await runChange(db, context, async (tx) => {
        const { row, target } = await lockedGuide(tx, id, principal)
        assertPermitted(guideRules, 'delete', principal, guideStanding(principal, row))
        assertMatches(if_match, row)
        await deleteGuide(tx, id)
        await touchTargetAndJobs(tx, target)
      })
    },
  }
}

async function create(
  tx: Tx,
  principal: Principal,
  { markdown = '', ...named }: GuideCreate,
): Promise<Guide> {
  const owner = readTarget(named)
  const target = await lockTarget(tx, owner)
  const people = target && (await findFacts(tx, { target: owner.kind, id: owner.id }))
  if (!people) throw invalid({ [`${owner.kind}_id`]: noSuchObject(owner.id) })
  assertPermitted(
    guideRules,
    'create',
    principal,
    guideStanding(principal, { ...people, has_job: false }),
  )
  checkAssets(markdown)
  if (await hasGuide(tx, owner)) throw conflict(`The ${owner.kind} has a guide already.`)
  const row = await insertGuide(tx, owner, { markdown })
  const saved = await followMarkdown(tx, principal, row.id, markdown)
  await touchTargetAndJobs(tx, target)
  return toGuide(saved === markdown ? row : await updateGuide(tx, row.id, saved))
}

/** Returns the guide under the lock of its target. It may have been deleted while the call waited for the lock. */
async function lockedGuide(
  tx: Tx,
  id: number,
  { user_id }: Principal,
): Promise<{ row: GuideView; target: GuideTarget }> {
  const seen = await findGuide(tx, id, user_id)
  const target = seen && (await lockTarget(tx, ownerOf(seen)))
  const row = target && (await findGuide(tx, id, user_id))
  if (!row) throw notFound()
  return { row, target }
}

function checkAssets(markdown: string): void {
  const count = assetsIn(markdown).length
  if (count > mostAssets)
    throw invalid({
      markdown: `A guide refers to at most ${mostAssets} assets, this one to ${count}.`,
    })
}
