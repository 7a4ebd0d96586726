import { labelsChanged } from '@reticle/contracts/events/labels'
import { taskMoved } from '@reticle/contracts/events/tasks'
import type { Attribute, Label, LabelWrite, Sublabel } from '@reticle/contracts/rest/labels'
import { invalidText, notFound } from '@reticle/kit/call/errors'
import { type EventCause, emit } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import type { ProjectRow, ProjectsDb } from '../db/schema.ts'
import { touchJobs } from '../db/shared-rows.ts'
import { deleteOwnLabels } from '../labels/repo.ts'
import { listLabelChanges, replaceLabelChange } from '../labels/repo-changes.ts'
import type { TaskView } from './repo.ts'

type Replacement = { from: number; to: number }

/** Move of a task into a project, with the project's labels that replace those of the task. */
export interface Move {
  project: ProjectRow
  labels: Replacement[]
  specs: Replacement[]
}

type Names = ReadonlyMap<number, string>
type Mapped = Pick<Move, 'labels' | 'specs'>

/**
 * Finds a label of the project for every label of the task: the one of the same name, or of the name that `items`
 * give it.
 *
 * @throws DomainError invalid naming the label or attribute without a counterpart, not_found for an unknown id in an
 * item
 */
export function mapLabels(
  own: readonly Label[],
  target: readonly Label[],
  items: readonly LabelWrite[] = [],
): Mapped {
  return mapAll(own, target, namesIn(own, items))
}

function namesIn(own: readonly Label[], items: readonly LabelWrite[]): Names {
  const known = new Set(own.flatMap((one) => [one.id, ...one.sublabels.map(({ id }) => id)]))
  const names = new Map<number, string>()
  for (const { id, name } of items.flatMap((item) => [item, ...(item.sublabels ?? [])])) {
    if (id === undefined)
      throw invalidText('Labels cannot be added while a task moves into a project')
    if (!known.has(id)) throw notFound(`Not found label with id #${id} to change`)
    if (name !== undefined) names.set(id, name)
  }
  return names
}

function mapAll(own: readonly AnyLabel[], target: readonly AnyLabel[], names: Names): Mapped {
  const pairs = own.map((label) => mapOne(label, target, names))
  return {
    labels: pairs.flatMap((pair) => pair.labels),
    specs: pairs.flatMap((pair) => pair.specs),
  }
}

type AnyLabel = Sublabel & { sublabels?: Sublabel[] }

function mapOne(label: AnyLabel, target: readonly AnyLabel[], names: Names): Mapped {
  const name = names.get(label.id) ?? label.name
  const found = target.find((one) => one.name === name)
  if (!found) throw invalidText(`The target project has no label '${name}'`)
  if ((label.type === 'skeleton') !== (found.type === 'skeleton'))
    throw invalidText(`The label '${name}' is a skeleton only in one of task and project`)
  const below = mapAll(label.sublabels ?? [], found.sublabels ?? [], names)
  const specs = label.attributes.map((one) => mapAttribute(one, found))
  return {
    labels: [{ from: label.id, to: found.id }, ...below.labels],
    specs: [...specs, ...below.specs],
  }
}

function mapAttribute(own: Attribute, { name, attributes }: AnyLabel): Replacement {
  const found = attributes.find((one) => one.name === own.name)
  if (!found)
    throw invalidText(`The label '${name}' of the target project has no attribute '${own.name}'`)
  const isSame = found.values.join('\n') === own.values.join('\n')
  if (found.input_type !== own.input_type || !isSame)
    throw invalidText(
      `The attribute '${own.name}' of the label '${name}' has another type or other values in the target project`,
    )
  return { from: own.id, to: found.id }
}

/**
 * Applies the consequences of a move after the row of the task has moved: deletes its own labels and emits the event
 * that moves its annotations to those of the project.
 */
export async function announceMove(
  tx: Transaction<ProjectsDb>,
  { id, project_id }: TaskView,
  { project, labels, specs }: Move,
  cause: EventCause,
): Promise<void> {
  if (project_id === null) await deleteOwnLabels(tx, { kind: 'task', id })
  await touchJobs(tx, [id])
  const data = {
    project_id: null,
    task_id: id,
    task_ids: [id],
    labels_revision: project.labels_revision,
    deleted_label_ids: [],
    deleted_spec_ids: [],
    affected_label_ids: [],
    replaced_labels: labels,
    replaced_specs: specs,
    follows: await listLabelChanges(tx, { project_id, task_ids: [] }),
  }
  const event_id = await emit(tx, labelsChanged, data, cause)
  await replaceLabelChange(tx, { kind: 'task', id }, event_id)
  const place = { project_id: project.id, organization_id: project.organization_id }
  await emit(tx, taskMoved, { task_id: id, ...place }, cause)
}
