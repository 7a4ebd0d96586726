import type { AnnotationDiff, AnnotationSet, Shape, Tag, Track } from '@reticle/sdk'

type Annotation = Tag | Shape | Track
export const changeKinds = ['tags', 'shapes', 'tracks'] as const
type Kind = (typeof changeKinds)[number]

/** Change of one object in a revision. */
export interface ObjectChange {
  action: 'created' | 'updated' | 'deleted'
  kind: Kind
  /** Object after the change; for a deleted object before it. */
  object: Annotation
  /** Names of changed members. */
  members: readonly string[]
}

/** Returns the changes of a revision by object: created, then updated, then deleted ones. */
export function changesOf({ created, updated, deleted }: AnnotationDiff): ObjectChange[] {
  return [
    ...changesOfSets('created', created),
    ...updatedOf(updated),
    ...changesOfSets('deleted', deleted),
  ]
}

/** Returns the changes of the first revision of a job, which created all objects. */
export const changesOfFirst = (set: AnnotationSet): ObjectChange[] => changesOfSets('created', set)

type Sets = Pick<AnnotationSet, Kind>

const changesOfSets = (action: 'created' | 'deleted', sets: Sets): ObjectChange[] =>
  changeKinds.flatMap((kind) =>
    [...sets[kind]].map((object) => ({ action, kind, object, members: [] })),
  )

const updatedOf = (updated: AnnotationDiff['updated']): ObjectChange[] =>
  changeKinds.flatMap((kind) =>
    [...updated[kind]].map(({ before, after }) => ({
      action: 'updated' as const,
      kind,
      object: after,
      members: changedMembersOf(before, after),
    })),
  )

function changedMembersOf(before: object, after: object): string[] {
  const old = new Map<string, unknown>(Object.entries(before))
  return Object.entries(after)
    .filter(([name, value]) => JSON.stringify(old.get(name)) !== JSON.stringify(value))
    .map(([name]) => name)
}

/** Returns the number of objects of a kind with a type of change. */
export const countOf = (
  changes: readonly ObjectChange[],
  kind: Kind,
  action: ObjectChange['action'],
) => changes.filter((one) => one.kind === kind && one.action === action).length

/** Returns `rectangle`, `tag` or `track`. */
export const typeOf = ({ kind, object }: Pick<ObjectChange, 'kind' | 'object'>): string =>
  'type' in object ? object.type : kind.slice(0, -1)
