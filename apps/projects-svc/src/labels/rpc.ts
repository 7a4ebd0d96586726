import type { labels } from '@reticle/contracts/api/labels'
import type { OperationInput } from '@reticle/contracts/api/operation'
import type { LabelSet } from '@reticle/contracts/rest/facts'
import type { Label } from '@reticle/contracts/rest/labels'
import type { Principal } from '@reticle/contracts/rest/principal'
import {
  type CallContext,
  invalid,
  invalidText,
  notFound,
  type Service,
  signedIn,
} from '@reticle/kit'
import { assertMatches } from '@reticle/kit/call/etag'
import { runChange } from '@reticle/kit/db/change'
import type { Kysely, Transaction } from 'kysely'
import { authorizeTarget } from '../access/authorize.ts'
import { type Owner, ownerOf } from '../access/owner.ts'
import type { FactsTarget } from '../access/repo-facts.ts'
import type { LabelRow, ProjectsDb } from '../db/schema.ts'
import { listLabels } from './list.ts'
import { type PlanLabels, planLabels, planOneLabel } from './plan.ts'
import { findLabel, findLabelSet, listLabelsById } from './repo.ts'

type Db = Kysely<ProjectsDb>

/**
 * Functions of projects, tasks and drafts that labels need. They are passed in, because those folders import this one.
 */
export interface LabelDeps {
  db: Db
  /** Changes the labels of a project or task, with the permission check and the events of its PATCH. */
  changeOwnedLabels(
    tx: Transaction<ProjectsDb>,
    owner: Owner,
    plan: PlanLabels,
    context: CallContext,
  ): Promise<void>
  /** Finds the labels that tasks of a draft use; undefined: the stored labels. */
  findDraftLabels(db: Db, draft_id: string): Promise<LabelSet | undefined>
}

/** Builds the handlers of labels of projects and tasks. */
export function labelHandlers({
  db,
  changeOwnedLabels,
  findDraftLabels,
}: LabelDeps): Service<typeof labels> {
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
      const drafted = draft_id ? await findDraftLabels(db, draft_id) : undefined
      return drafted ?? { labels_revision, labels }
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
