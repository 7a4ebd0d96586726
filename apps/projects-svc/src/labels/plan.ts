import type { Label, LabelWrite } from '@reticle/contracts/rest/labels'
import { invalidText, notFound } from '@reticle/kit/call/errors'
import { createPacer, type Pace } from '@reticle/kit/scheduling/pacer'
import { fieldError, missingField, type Path } from '../bodies/field-error.ts'
import { planAttributes } from './attributes.ts'
import { countFree, pickColor } from './color.ts'
import { type AttributeDraft, draftOf, type LabelDraft, withSublabels } from './draft.ts'
import { matchDrawing, nameElements } from './drawing.ts'

/** Limits on the labels of a project or task, sublabels included. */
export const mostLabels = 10_000
export const mostBytes = 512 * 1024

export interface LabelsPlan {
  /** All labels of the owner after the change. */
  labels: LabelDraft[]
  /** Removed labels and sublabels; all annotations that use them are deleted. */
  removed_labels: number[]
  /** Attributes removed from labels that stay. */
  removed_attributes: number[]
}

/** Plans new labels of an owner from its current ones. */
export type PlanLabels = (current: readonly Label[]) => Promise<LabelsPlan>

type Removed = Omit<LabelsPlan, 'labels'>

/**
 * Plans the labels of a project or task after `items` are applied (`docs/spec/workspace.md#labels`). Writes nothing.
 * Names are compared at the end, so two labels can swap theirs. Long lists are planned in steps, so that other calls
 * can run in between.
 *
 * @param at path of the items in the body, for error messages
 * @throws DomainError invalid naming item and field, not_found for an id that is not in `current`
 */
export async function planLabels(
  current: readonly Label[],
  items: readonly LabelWrite[],
  at: Path = ['labels'],
): Promise<LabelsPlan> {
  checkCount(items, at, mostLabels + current.length)
  const removed: Removed = { removed_labels: [], removed_attributes: [] }
  const scope = { at, removed, isSublabel: false, pace: createPacer() }
  const labels = await planList(current.map(draftOf), items, scope)
  checkCount(withSublabels(labels), at)
  assignColors(labels)
  checkSize(labels, at)
  return { labels, ...removed }
}

/** Plans the labels of a new owner; of the ids in the items only those that drawings refer to count. */
export async function planNewLabels(items: readonly LabelWrite[]): Promise<LabelsPlan> {
  checkCount(items, ['labels'])
  return planLabels([], items.map(withoutIds))
}

/** Plans the change of one label by its own PATCH. Errors name the fields of that body. */
export async function planOneLabel(
  current: readonly Label[],
  id: number,
  change: Omit<LabelWrite, 'id'>,
): Promise<LabelsPlan> {
  const removed: Removed = { removed_labels: [], removed_attributes: [] }
  const scope = { at: [], removed, isSublabel: false, pace: createPacer() }
  const labels = await Promise.all(
    current.map((label) =>
      label.id === id ? changedLabel(draftOf(label), change, [], scope) : draftOf(label),
    ),
  )
  checkNames(labels, false)
  checkCount(withSublabels(labels), [])
  assignColors(labels)
  checkSize(labels, [])
  return { labels, ...removed }
}

function withoutIds({ id: _, attributes, sublabels, svg, ...item }: LabelWrite): LabelWrite {
  return {
    ...item,
    svg: svg && sublabels ? nameElements(svg, sublabels) : svg,
    attributes: attributes?.map(({ id: _id, ...attribute }) => attribute),
    sublabels: sublabels?.map(withoutIds),
  }
}

interface Scope {
  at: Path
  removed: Removed
  isSublabel: boolean
  pace: Pace
}

async function planList(
  current: readonly LabelDraft[],
  items: readonly LabelWrite[],
  scope: Scope,
): Promise<LabelDraft[]> {
  const kept = new Map(current.map((one) => [one.id, one]))
  const added: LabelDraft[] = []
  for (const [index, item] of items.entries()) {
    await scope.pace()
    const place = [...scope.at, index]
    if (item.id === undefined) {
      added.push(await newLabel(item, place, scope))
      continue
    }
    const known = kept.get(item.id)
    if (!known) throw notFound(`Not found label with id #${item.id} to change`)
    if (item.deleted) {
      remove(known, scope.removed)
      kept.delete(item.id)
    } else kept.set(item.id, await changedLabel(known, item, place, scope))
  }
  const labels = [...kept.values(), ...added]
  checkNames(labels, scope.isSublabel)
  return labels
}

function remove({ id, sublabels }: LabelDraft, removed: Removed) {
  for (const one of [id, ...sublabels.map((sublabel) => sublabel.id)])
    if (one !== null) removed.removed_labels.push(one)
}

async function newLabel(item: LabelWrite, place: Path, scope: Scope): Promise<LabelDraft> {
  if (item.deleted) throw fieldError([...place, 'deleted'], 'Only a label with id can be deleted.')
  if (item.name === undefined) throw missingField([...place, 'name'])
  const type = item.type ?? 'any'
  const empty = { id: null, name: item.name, color: '', type, svg: null }
  return changedLabel({ ...empty, attributes: [], sublabels: [] }, item, place, scope)
}

async function changedLabel(
  known: LabelDraft,
  item: LabelWrite,
  place: Path,
  scope: Scope,
): Promise<LabelDraft> {
  const { removed, isSublabel } = scope
  const type = checkType(known, item, [...place, 'type'], isSublabel)
  const color = item.color ? checkColor(item.color, [...place, 'color']) : known.color
  const { attributes, removed: removedSpecs } = planAttributes(
    known.attributes,
    item.attributes ?? [],
    [...place, 'attributes'],
  )
  removed.removed_attributes.push(...removedSpecs)
  const draft = { ...known, name: item.name ?? known.name, color, type, attributes }
  if (type === 'skeleton') return changedSkeleton(draft, item, place, scope)
  if (item.sublabels?.length)
    throw fieldError([...place, 'sublabels'], 'Only a skeleton can have sublabels.')
  if (item.svg) throw fieldError([...place, 'svg'], 'Only a skeleton can have a drawing.')
  return draft
}

async function changedSkeleton(
  draft: LabelDraft,
  item: LabelWrite,
  place: Path,
  scope: Scope,
): Promise<LabelDraft> {
  const inside = { ...scope, at: [...place, 'sublabels'], isSublabel: true }
  const sublabels = await planList(draft.sublabels, item.sublabels ?? [], inside)
  if (item.svg === undefined) return { ...draft, svg: draft.svg ?? '', sublabels }
  const matched = matchDrawing(item.svg, sublabels)
  if ('svg' in matched) return { ...draft, svg: matched.svg, sublabels }
  const message = `The drawing names "${matched.unknown}", which is no sublabel.`
  throw fieldError([...place, 'svg'], message)
}

function checkType(
  known: LabelDraft,
  { type = known.type }: LabelWrite,
  place: Path,
  isSublabel: boolean,
): LabelDraft['type'] {
  if (isSublabel && type === 'skeleton')
    throw fieldError(place, 'A sublabel cannot be a skeleton itself.')
  if (type !== known.type && (type === 'skeleton' || known.type === 'skeleton'))
    throw fieldError(place, 'A label cannot become a skeleton or cease to be one.')
  return type
}

function checkColor(given: string, place: Path): string {
  if (!/^#[0-9a-f]{6}$/i.test(given))
    throw fieldError(place, `"${given}" is no color: write #rrggbb.`)
  return given.toLowerCase()
}

function checkNames(labels: readonly LabelDraft[], isSublabel: boolean) {
  if (new Set(labels.map((one) => one.name)).size === labels.length) return
  throw invalidText(
    isSublabel
      ? 'All sublabel names of a skeleton must be unique'
      : 'All label names must be unique',
  )
}

function assignColors(labels: readonly LabelDraft[]) {
  const all = withSublabels(labels)
  const taken = new Set(all.map((one) => one.color))
  let free = countFree(taken)
  for (const label of all) {
    if (label.color !== '') continue
    if (free === 0) taken.clear() // all hues are taken; clearing saves a search of all hues for every label
    label.color = pickColor(label.name, taken)
    if (free > 0) {
      taken.add(label.color)
      free--
    }
  }
}

/** Bytes of deleted labels in one event; an event may have 1 MB. */
const mostDeletedBytes = 200_000

/** Returns the labels that the plan deletes, without sublabels, as far as they fit into an event. */
export function deletedLabels(
  current: readonly Label[],
  { removed_labels }: Pick<LabelsPlan, 'removed_labels'>,
): { id: number; name: string }[] {
  const removed = new Set(removed_labels)
  let bytes = 0
  return current.flatMap(({ id, name }) => {
    if (!removed.has(id)) return []
    bytes += Buffer.byteLength(JSON.stringify({ id, name })) + 1
    return bytes <= mostDeletedBytes ? [{ id, name }] : []
  })
}

/** Returns the remaining labels whose annotations read differently after the plan. */
export function affectedLabels(current: readonly Label[], { labels }: LabelsPlan): number[] {
  const after = new Map(labels.map((one) => [one.id, one]))
  return current.flatMap((label) => {
    const planned = after.get(label.id)
    return planned && shownBy(planned, label) !== shownBy(draftOf(label), label) ? [label.id] : []
  })
}

/** Returns the parts of a label that its annotations depend on. New sublabels have no elements yet. */
function shownBy({ attributes, sublabels }: LabelDraft, before: Label): string {
  const known = new Set<number | null>(before.sublabels.map((one) => one.id))
  const parts = sublabels.filter((one) => known.has(one.id))
  const shown = (list: readonly AttributeDraft[]) =>
    list.map(({ id, default_value }) => [id, default_value])
  return JSON.stringify([shown(attributes), parts.map((one) => [one.id, shown(one.attributes)])])
}

function checkCount(labels: readonly unknown[], at: Path, most = mostLabels) {
  if (labels.length > most)
    throw fieldError(at, `Ensure there are no more than ${mostLabels} labels, sublabels included.`)
}

function checkSize(labels: readonly LabelDraft[], at: Path) {
  if (Buffer.byteLength(JSON.stringify(labels)) > mostBytes)
    throw fieldError(at, `Ensure all labels together are no more than ${mostBytes} bytes of JSON.`)
}
