import type { AnnotationDiff, AnnotationSet, Shape, Tag, Track } from '@reticle/sdk'

type Annotation = Tag | Shape | Track
export const changeKinds = ['tags', 'shapes', 'tracks'] as const
type Kind = (typeof changeKinds)[number]

/** One object that a revision changed. */
export interface Change {
  did: 'created' | 'updated' | 'deleted'
  kind: Kind
  /** As it is afterwards; of a deleted one as it was. */
  object: Annotation
  /** Members that are not what they were. */
  members: readonly string[]
}

/** What a revision changed, object by object: what is new first, then what is different, then what is gone. */
export function changesOf({ created, updated, deleted }: AnnotationDiff): Change[] {
  return [...whole('created', created), ...updatedOf(updated), ...whole('deleted', deleted)]
}

/** The first revision of a job made all that there was. */
export const changesOfFirst = (set: AnnotationSet): Change[] => whole('created', set)

type Sets = Pick<AnnotationSet, Kind>

const whole = (did: 'created' | 'deleted', sets: Sets): Change[] =>
  changeKinds.flatMap((kind) =>
    [...sets[kind]].map((object) => ({ did, kind, object, members: [] })),
  )

const updatedOf = (updated: AnnotationDiff['updated']): Change[] =>
  changeKinds.flatMap((kind) =>
    [...updated[kind]].map(({ before, after }) => ({
      ...{ did: 'updated' as const, kind, object: after },
      members: differing(before, after),
    })),
  )

function differing(before: object, after: object): string[] {
  const old = new Map<string, unknown>(Object.entries(before))
  return Object.entries(after)
    .filter(([name, value]) => JSON.stringify(old.get(name)) !== JSON.stringify(value))
    .map(([name]) => name)
}

/** How many of a kind something was done to. */
export const countOf = (changes: readonly Change[], kind: Kind, did: Change['did']) =>
  changes.filter((one) => one.kind === kind && one.did === did).length

/** `rectangle`, `tag`, `track`. */
export const typeOf = ({ kind, object }: Pick<Change, 'kind' | 'object'>): string =>
  'type' in object ? object.type : kind.slice(0, -1)
