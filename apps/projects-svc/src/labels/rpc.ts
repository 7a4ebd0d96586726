import type { labels } from '@reticle/contracts/api/labels'
import type { OperationInput } from '@reticle/contracts/api/operation'
import type { Principal } from '@reticle/contracts/principal'
import type { Label } from '@reticle/contracts/rest/labels'
import { invalid, invalidText, notFound, type Service, signedIn } from '@reticle/kit'
import { runChange } from '@reticle/kit/db/change'
import { assertMatches } from '@reticle/kit/etag'
import type { Kysely } from 'kysely'
import { authorizeTarget } from '../authorize.ts'
import type { LabelRow, ProjectsDb } from '../db/schema.ts'
import { labelSetOf } from '../drafts/labels.ts'
import { findDraft } from '../drafts/repo.ts'
import type { FactsTarget } from '../facts.ts'
import { type Owner, ownerOf } from '../owner.ts'
import { changeOwnedLabels } from './change.ts'
import { listLabels } from './list.ts'
import { planLabels, planOneLabel } from './plan.ts'
import { findLabel, findLabelSet, listLabelsById } from './repo.ts'

type Db = Kysely<ProjectsDb>

/** Builds the handlers of labels of projects and tasks. */
export function labelHandlers({ db }: { db: Db }): Service<typeof labels> {
  return {
    async listLabels(query, context) {
      const principal = signedIn(context)
      const owner = await findOwner(db, principal, query)
      const { count, results } = await listLabels(db, principal, query, owner)
      const ids = results.map((row) => row.id)
      return { count, results: await listLabelsById(db, ids) }
    },

    async getLabel({ id }, context) {
      const row = await findLabel(db, id)
      if (!row) throw notFound()
      const { kind: target, id: ownerId } = ownerOf(row)
      await authorizeTarget(db, signedIn(context), { target, id: ownerId }, 'view')
      return record(db, id)
    },

    async updateLabel({ id, body, if_match }, context) {
      return runChange(db, { ...context, row: `label:${id}` }, async (tx) => {
        const row = await findLabel(tx, id)
        if (!row) throw notFound()
        const plan = async (current: readonly Label[]) => {
          refuseSublabel(row)
          if (body.deleted) throw invalid({ deleted: 'Use DELETE to remove a label.' })
          const label = present(current, id)
          const planned = await planOneLabel(current, id, body)
          assertMatches(if_match, label)
          return planned
        }
        await changeOwnedLabels(tx, ownerOf(row), plan, context)
        return record(tx, id)
      })
    },

    async deleteLabel({ id, if_match }, context) {
      await runChange(db, { ...context, row: `label:${id}` }, async (tx) => {
        const row = await findLabel(tx, id)
        if (!row) throw notFound()
        const plan = async (current: readonly Label[]) => {
          refuseSublabel(row)
          assertMatches(if_match, present(current, id))
          return planLabels(current, [{ id, deleted: true }])
        }
        await changeOwnedLabels(tx, ownerOf(row), plan, context)
      })
    },

    async getLabelSet(target) {
      const found = await findLabelSet(db, target)
      if (!found) throw notFound()
      const { draft_id, labels_revision, labels } = found
      const draft = draft_id ? await findDraft(db, draft_id) : undefined
      return (draft && labelSetOf(draft)) ?? { labels_revision, labels }
    },
  }
}

async function record(db: Db, id: number): Promise<Label> {
  const [label] = await listLabelsById(db, [id])
  if (!label) throw notFound()
  return label
}

function refuseSublabel({ parent_id }: LabelRow) {
  if (parent_id !== null) throw invalidText(`Change the skeleton #${parent_id} of this sublabel`)
}

/** Returns the label under the lock; another transaction may have deleted it before. */
function present(current: readonly Label[], id: number): Label {
  const label = current.find((one) => one.id === id)
  if (!label) throw notFound()
  return label
}

type Query = OperationInput<(typeof labels)['listLabels']>

/** Finds the owner that the query names; null: no owner. */
async function findOwner(
  db: Db,
  principal: Principal,
  { project_id, task_id, job_id }: Query,
): Promise<Owner | null> {
  const named = [project_id, task_id, job_id].filter((id) => id !== undefined)
  if (named.length > 1) throw invalidText('Only one of project_id, task_id and job_id can be given')
  if (job_id !== undefined) return shownOwner(db, principal, { target: 'job', id: job_id })
  if (task_id !== undefined) return shownOwner(db, principal, { target: 'task', id: task_id })
  if (project_id === undefined) return null
  return shownOwner(db, principal, { target: 'project', id: project_id })
}

/** Returns the owner of the labels that a viewable target uses: its project, otherwise its task. */
async function shownOwner(db: Db, principal: Principal, target: FactsTarget): Promise<Owner> {
  return ownerOf(await authorizeTarget(db, principal, target, 'view'))
}
